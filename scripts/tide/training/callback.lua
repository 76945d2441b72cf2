-- training.Callback: the base of what a trainer calls at the places of a training.
local class = require "tide.internal.class"

-- A class defines the hooks that it needs (tide.training.hooks has all names), each with the
-- trainer and the module as first arguments, and state_dict and load_state_dict if it has a state
-- that a training must have to go on: plain values and tensors.
return class "Callback"
