-- nn.Identity: returns its input; its constructor accepts any arguments.
local define = require "tide.internal.declare.define"
local Module = require "tide.nn.module"

--- Returns its input unchanged.
---@param arguments... any  ignored, as in PyTorch
---@example
--- nn.Identity()(tide.tensor{1, 2}) --> {1, 2}
local Identity = define("nn.Identity", Module)

function Identity:init() end

function Identity:forward(...) return ... end

return Identity
