-- tide.func: modules as functions of their parameters.
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local tide = require "tide"

local functional = {functional_call = require "tide.nn.internal.functional_call"}

--- Parameters and buffers of modules that are built alike, stacked along a new first dimension: two
--- tables by name, for functional_call under vmap.
function functional.stack_module_state(models)
  if type(models) ~= "table" or #models == 0 then
    raise("stack_module_state: expected a list of modules")
  end
  for i, model in ipairs(models) do of_kind("stack_module_state", ("models[%d]"):format(i), model, "module") end
  local function stacked(kind)
    local lists, result = {}, {}
    for i, model in ipairs(models) do
      for name, tensor in model[kind](model) do
        lists[name] = lists[name] or {}
        lists[name][i] = tensor
      end
    end
    for name, list in pairs(lists) do
      if #list ~= #models then
        raise("stack_module_state: not all modules have '%s': they must be built alike", name)
      end
      local needs = list[1].requires_grad
      for i, tensor in ipairs(list) do list[i] = tensor:detach() end
      result[name] = tide.stack(list):requires_grad_(needs)
    end
    return result
  end
  return stacked "named_parameters", stacked "named_buffers"
end

return functional
