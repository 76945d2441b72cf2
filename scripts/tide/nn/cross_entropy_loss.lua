-- nn.CrossEntropyLoss: how surprised scores (n, classes) are by the right classes (n), counted from
-- 1.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local CrossEntropyLoss = class("CrossEntropyLoss", Module)

local read = arguments("CrossEntropyLoss", {
  {"weight"}, {"ignore_index", -100}, {"reduction", "mean"}, {"label_smoothing", 0},
})

function CrossEntropyLoss:init(...)
  local given = read(...)
  -- The weights of the classes move with the module.
  if given.weight then self:register_buffer("weight", given.weight) end
  self.options = {
    ignore_index = given.ignore_index,
    reduction = given.reduction,
    label_smoothing = given.label_smoothing,
  }
end

function CrossEntropyLoss:forward(input, target)
  local options = self.options
  options.weight = self.weight
  return F.cross_entropy(input, target, options)
end

return CrossEntropyLoss
