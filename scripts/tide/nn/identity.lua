-- nn.Identity: gives back what it gets; takes any arguments.
local define = require "tide.internal.declare.define"
local Module = require "tide.nn.module"

--- Gives back what it gets.
---@param arguments... any  taken for PyTorch's sake
---@example
--- nn.Identity()(tide.tensor{1, 2}) --> {1, 2}
local Identity = define("nn.Identity", Module)

function Identity:init() end

function Identity:forward(...) return ... end

return Identity
