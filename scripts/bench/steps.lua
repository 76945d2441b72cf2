-- Steps of training, as a script writes them.
local tide = require "tide"

local steps = {}

--- A function that takes `count` steps with the loss that `loss_of` returns, and reads the last loss.
function steps.of(optimizer, count, loss_of)
  return function()
    local loss
    for _ = 1, count do
      optimizer:zero_grad()
      loss = loss_of()
      loss:backward()
      optimizer:step()
    end
    return loss:item()
  end
end

--- A function that trains `net` for `count` steps on one batch of several classes.
function steps.of_classes(net, optimizer, x, classes, count)
  local y = tide.randint(1, classes, {#x}):to(x.device)
  return steps.of(optimizer, count, function() return tide.nn.functional.cross_entropy(net(x), y) end)
end

return steps
