-- Hooks of all modules: `after`, unless there are none, is a list of functions as add_hook keeps
-- it. They are called as fn(module, inputs, output) after each call of a module.
return {}
