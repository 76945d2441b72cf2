-- Hooks of all modules: `after`, if not nil, is a list made by add_hook of functions that are called as
-- fn(module, inputs, output) after each call of a module.
return {}
