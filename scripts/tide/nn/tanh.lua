-- nn.Tanh: the hyperbolic tangent, elementwise.
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local Tanh = class("Tanh", Module)

function Tanh:forward(x) return F.tanh(x) end

return Tanh
