-- Random programs of tensor ops, generated from a seed: their results must not depend on how they are
-- run.
local tide = require "tide"

local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."
local new_random = dofile(here .. "/new_random.lua")

local kRows, kColumns = 6, 8

--- Each entry takes the list of tensors created so far and a random number generator; it returns a new
--- tensor, or changes one of them and returns nothing. All tensors are (6, 8).
local actions = {
  function(t, pick) return pick(t) + pick(t) end,
  function(t, pick) return pick(t) * pick(t) * 0.5 end,
  function(t, pick) return (pick(t) - pick(t)):tanh() end,
  function(t, pick) return pick(t):sigmoid() * 2 - 1 end,
  function(t, pick) return pick(t):sin() / (pick(t):abs() + 1) end,
  function(t, pick) return pick(t):maximum(pick(t)) end,
  function(t, pick) return pick(t) + pick(t):sum(2, true) * 0.1 end,
  function(t, pick) return pick(t) - pick(t):mean(1, true) end,
  function(t, pick) return pick(t):softmax(2) end,
  function(t, pick) return pick(t)[1] + pick(t)[{{}, {2, 3}}]:mean() + pick(t) * 0 end,
  function(t, pick) return pick(t):transpose(1, 2):contiguous():transpose(1, 2) end,
  function(t, pick) return pick(t):reshape(kColumns, kRows):transpose(1, 2) + 0 end,
  function(t, pick) return pick(t):flip(2) end,
  function(t, pick) return tide.cat({pick(t)[{{1, 3}}], pick(t)[{{4, 6}}]}, 1) end,
  function(t, pick) return pick(t):to("float16"):to("float32") end,
  function(t, pick) return (pick(t) * 100):to("int32"):to("float32") / 100 end,
  function(t, pick) return tide.where(pick(t):gt(0), pick(t), pick(t)) end,
  function(t, pick) return pick(t):detach() end,
  function(t, pick) return tide.rand_like(pick(t)) - 0.5 end,
  function(t, pick) return pick(t):matmul(pick(t):transpose(1, 2)):matmul(pick(t)) * 0.02 end,
  function(t, pick) return pick(t):clone() end,
  function(t, pick) pick(t):add_(pick(t) * 0.25) end,
  function(t, pick) pick(t):mul_(0.5) end,
  function(t, pick, random) pick(t)[random(1, kRows)] = random(-3, 3) / 4 end,
  function(t, pick, random) pick(t)[{{}, random(1, kColumns)}] = pick(t)[{{}, random(1,
    kColumns)}] end,
  function(t, pick, random) pick(t)[random(1, kRows)]:add_(pick(t)[random(1, kRows)]) end,
  function(t, pick) pick(t):transpose(1, 2):sub_(pick(t):transpose(1, 2) * 0.1) end,
}

--- Runs the program of `seed` with `steps` actions; returns the list of all its tensors. `around`, if
--- given, is called with each action and must call it.
local function run(seed, steps, device, around)
  local random = new_random(seed)
  tide.manual_seed(seed)
  local tensors = {}
  for i = 1, 3 do tensors[i] = tide.randn(kRows, kColumns, {device = device}) end
  local function pick(list) return list[random(1, #list)] end
  for _ = 1, steps do
    local action = actions[random(1, #actions)]
    local made
    if around then
      made = around(function() return action(tensors, pick, random) end)
    else
      made = action(tensors, pick, random)
    end
    if made then tensors[#tensors + 1] = made end
  end
  return tensors
end

return run
