-- nn.MSELoss: the mean of the squared differences of two tensors of one shape.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local MSELoss = class("MSELoss", Module)

local read = arguments("MSELoss", {{"reduction", "mean"}})

function MSELoss:init(...) self.reduction = read(...).reduction end

function MSELoss:forward(input, target)
  return F.mse_loss(input, target, {reduction = self.reduction})
end

return MSELoss
