-- Hooks of all modules: in the field `after`, unless there are none, a list as add_hook keeps it of functions
-- that are called as fn(module, inputs, output) after each call of a module.
return {}
