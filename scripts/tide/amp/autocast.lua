-- amp.autocast: the same as tide.autocast.
local tide = require "tide"

--- The same as tide.autocast.
---@param device device = nil  where the mode is on; nil is everywhere
---@param dtype dtype = nil  the half type; nil is float16 on CUDA, else bfloat16
---@param enabled boolean = true  with false the mode is off in its scope
---@param device_type string = nil  taken for PyTorch's sake; the device stands in front
---@param cache_enabled boolean = true  taken for PyTorch's sake
---@param fn function = nil  the function the mode is on for; without one the mode ends when the value returned is
---  closed
---@param arguments... any  what the function is called with
---@see tide.autocast amp.GradScaler
---@example
--- local x = tide.ones(2, 2)
--- tide.amp.autocast({dtype = "bfloat16"}, function() return x:matmul(x).dtype end) --> "bfloat16"
return tide.autocast -- "amp.autocast"
