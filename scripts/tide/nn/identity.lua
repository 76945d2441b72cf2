-- nn.Identity: gives back what it gets; takes any arguments.
local class = require "tide.internal.class"
local Module = require "tide.nn.module"

local Identity = class("Identity", Module)

function Identity:forward(...) return ... end

return Identity
