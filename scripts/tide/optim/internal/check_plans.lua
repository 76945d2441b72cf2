-- Lists of plans for the learning rate that another plan steps.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- Raises an error in the name of `caller` unless all are plans of one optimizer (that of the first by default) that go
--- on by themselves.
return function(caller, plans, optimizer)
  if type(plans) ~= "table" or #plans == 0 then raise("%s: expected a list of schedulers", caller) end
  for i, plan in ipairs(plans) do
    local made = type(plan) == "table" and getmetatable(plan)
    if not made or not plan.optimizer then
      raise("%s: scheduler %d is none but a %s", caller, i, made and tostring(made.name) or kind_of(plan))
    end
    optimizer = optimizer or plan.optimizer
    if plan.optimizer ~= optimizer then raise("%s: scheduler %d belongs to another optimizer", caller, i) end
    if not plan.step_back then
      raise("%s: scheduler %d is a %s, whose step wants a figure: step it by itself", caller, i, made.name)
    end
  end
end
