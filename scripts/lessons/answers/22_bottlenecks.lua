-- Answers to the exercises of lesson 22, finding the bottleneck.
--
-- To run them:   tide lesson 22 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local exercises = require("tide.test").exercises

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
if device.type == "cpu" then device = tide.device("sim:0") end -- a second memory is needed
tide.manual_seed(1)

-- 1. The mean of losses, tensors of one number each, as such a tensor.
local function mean_loss(losses)
  -- Start:
  -- local sum = 0
  -- for _, loss in ipairs(losses) do sum = sum + loss:item() end
  -- return tide.tensor(sum / #losses)
  -- Solution:
  return tide.stack(losses):mean()
  -- End
end

-- 2. The share of samples whose largest score is that of their label, as a tensor of one number.
-- scores has a row for each sample, labels their classes.
local function accuracy(scores, labels)
  -- Start:
  -- local best, right = scores:argmax(2), 0
  -- for i = 1, #labels do
  --   if best[i]:item() == labels[i]:item() then right = right + 1 end
  -- end
  -- return tide.tensor(right / #labels)
  -- Solution:
  return scores:argmax(2):eq(labels):float():mean()
  -- End
end

-- 3. The sum of all batches, each minus the mean and with noise. The mean is on the cpu, the
-- batches are where the sum is to be; scale says how much noise there is.
local function features(batches, mean, scale)
  -- Start:
  -- local sum = 0
  -- for _, batch in ipairs(batches) do
  --   local noise = tide.randn(batch.shape[1], batch.shape[2]):to(batch.device)
  --   sum = sum + (batch - mean:to(batch.device) + noise * scale):sum(1)
  -- end
  -- return sum
  -- Solution:
  local sum, where = 0, batches[1].device
  mean = mean:to(where) -- once
  for _, batch in ipairs(batches) do
    local noise = tide.randn(batch.shape[1], batch.shape[2], {device = where})
    sum = sum + (batch - mean + noise * scale):sum(1)
  end
  return sum
  -- End
end

-- What checks the exercises.
--- Checks that fn gives a tensor of this value without a wait.
local function check_value(expect, expected, fn, ...)
  local passed, result = pcall(tide.no_sync, fn, ...)
  expect(passed, ("it waits, which no_sync forbids:\n%s"):format(result))
  expect(tide.is_tensor(result) and result:numel() == 1, "the result is a tensor of one number")
  expect(math.abs(result:item() - expected) < 1e-5,
    ("the result is %g, not %g"):format(result:item(), expected))
end

exercises {
  {"1. mean_loss does not wait", function(expect)
    local losses = {}
    for i = 1, 20 do losses[i] = tide.full({}, i / 4, {device = device}) * 1 end
    check_value(expect, 21 / 8, mean_loss, losses) -- of 1/4, 2/4, ... 20/4
  end},

  {"2. accuracy lets the device count", function(expect)
    local labels = tide.randint(1, 3, {64}, {device = device})
    local scores = tide.nn.functional.one_hot(labels, 3):float()
    scores[{{1, 16}}] = 1 - scores[{{1, 16}}] -- the first 16 are wrong
    check_value(expect, 0.75, accuracy, scores, labels)
  end},

  {"3. features moves the mean once, and makes the noise on the device", function(expect)
    local batches, mean = {}, tide.ones(8)
    for i = 1, 10 do batches[i] = tide.full({4, 8}, i, {dtype = "float32", device = device}) end
    local sum = features(batches, mean, 0)
    expect(tide.is_tensor(sum) and sum.device == device,
      "the sum is a tensor where the batches are")
    expect(sum:cpu():equal(tide.full({8}, 4 * 45, {dtype = "float32"})),
      "without noise each element of the sum is 4 * (0 + 1 + ... + 9) = 180")
    local again = features(batches, mean, 1)
    expect(not again:equal(features(batches, mean, 1)), "the noise is new in each call")
    for _, finding in ipairs(tide.advise(function() features(batches, mean, 1) end).findings) do
      expect(finding.rule ~= "made on the host" and finding.rule ~= "moved again",
        ("tide.advise: %s\n%s"):format(finding.text, finding.fix))
    end
  end},
}
