-- Averaged weights, kept in addition to the trained ones, for callbacks.
local AveragedModel = require("tide.nn.optim.swa_utils").AveragedModel
local tide = require "tide"

local averaged_weights = {}

--- Averages of a module's parameters, by the avg_fn of AveragedModel; buffers are the module's.
function averaged_weights.of(module, avg_fn)
  local averages = AveragedModel(module, {avg_fn = avg_fn})
  rawset(averages.module, "trainer", nil)
  return averages
end

--- Swaps the parameters of the module with the averages. Does not wait.
function averaged_weights.swap(module, averages)
  local _ <close> = tide.no_grad()
  local means = averages.module:parameters()
  for i, parameter in ipairs(module:parameters()) do
    local kept = parameter:clone()
    parameter:copy_(means[i])
    means[i]:copy_(kept)
  end
end

--- Copies the averages into the parameters of the module.
function averaged_weights.take_over(module, averages)
  local _ <close> = tide.no_grad()
  local means = averages.module:parameters()
  for i, parameter in ipairs(module:parameters()) do parameter:copy_(means[i]) end
end

return averaged_weights
