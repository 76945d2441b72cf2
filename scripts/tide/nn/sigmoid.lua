-- nn.Sigmoid: 1 / (1 + exp(-x)), elementwise.
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local Sigmoid = class("Sigmoid", Module)

function Sigmoid:forward(x) return F.sigmoid(x) end

return Sigmoid
