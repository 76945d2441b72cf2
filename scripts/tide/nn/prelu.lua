-- nn.PReLU: x where it is positive, else a learned slope times x.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

local PReLU = class("PReLU", Module)

local read = arguments("PReLU", {{"num_parameters", 1}, {"init", 0.25}, {"device"}, {"dtype"}})

function PReLU:init(...)
  local given = read(...)
  self:place(given)
  self.num_parameters = given.num_parameters
  self:parameter("weight", {given.num_parameters}, function(weight)
    init.constant_(weight, given.init)
  end)
end

function PReLU:forward(x) return F.prelu(x, self.weight) end

function PReLU:describe() return ("%d slopes"):format(self.num_parameters) end

return PReLU
