-- nn.ReLU: max(x, 0), elementwise.
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local ReLU = class("ReLU", Module)

function ReLU:forward(x) return F.relu(x) end

return ReLU
