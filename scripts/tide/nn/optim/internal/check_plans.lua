-- Lists of learning rate schedulers that another scheduler steps.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- Raises an error for `caller` unless all are schedulers of the same optimizer (by default that of the first) whose
--- step needs no metric.
return function(caller, plans, optimizer)
  if type(plans) ~= "table" or #plans == 0 then raise("%s: expected a list of schedulers", caller) end
  for i, plan in ipairs(plans) do
    local made = type(plan) == "table" and getmetatable(plan)
    if not made or not plan.optimizer then
      raise("%s: schedulers[%d]: expected a scheduler, got %s", caller, i, made and made.name or kind_of(plan))
    end
    optimizer = optimizer or plan.optimizer
    if plan.optimizer ~= optimizer then raise("%s: scheduler %d belongs to another optimizer", caller, i) end
    if not plan.step_back then
      raise("%s: scheduler %d is a %s, whose step requires a metric: step it separately", caller, i, made.name)
    end
  end
end
