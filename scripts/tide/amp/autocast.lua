-- amp.autocast: the same as tide.autocast.
local tide = require "tide"

--- The same as tide.autocast: the arguments are a device, a table of options, and a function with its arguments.
---@param device? device  device type where autocast is enabled; nil is all
---@param dtype dtype = nil  the half type; nil is float16 on CUDA, else bfloat16
---@param enabled boolean = true  false disables autocast in the scope
---@param device_type string = nil  accepted as in PyTorch; the device is the first parameter
---@param cache_enabled boolean = true  accepted as in PyTorch, without effect
---@param fn? function  function to run with autocast; without one the mode ends when the returned value is closed
---@param arguments... any  arguments of fn
---@see tide.autocast amp.GradScaler
---@example
--- local x = tide.ones(2, 2)
--- tide.amp.autocast({dtype = "bfloat16"}, function() return x:matmul(x).dtype end) --> "bfloat16"
return tide.autocast -- "amp.autocast"
