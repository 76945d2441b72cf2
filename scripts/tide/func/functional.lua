-- tide.func: modules as functions of their parameters.
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"
local tide = require "tide"

local functional = {}

--- Stacks the parameters and buffers of modules with the same structure: two tables by name.
---@param models module[]  modules with the same structure
---@example
--- local p = tide.func.stack_module_state{nn.Linear(3, 2), nn.Linear(3, 2)}
--- p.weight.shape --> {2, 2, 3}
functional.stack_module_state = checked("func.stack_module_state", function(models)
  if #models == 0 then raise "stack_module_state: models: the list is empty" end
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
        raise("stack_module_state: not all modules have '%s': they must have the same structure", name)
      end
      local needs = list[1].requires_grad
      for i, tensor in ipairs(list) do list[i] = tensor:detach() end
      result[name] = tide.stack(list):requires_grad_(needs)
    end
    return result
  end
  return stacked "named_parameters", stacked "named_buffers"
end)

return functional
