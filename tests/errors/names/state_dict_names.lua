-- A state that belongs to another model.
local nn = tide.nn
nn.Linear(2, 2):load_state_dict({weights = tide.ones(2, 2)})
--> tide: state_dict_names.lua:3: load_state_dict: missing: bias, weight; not in the module: weights
