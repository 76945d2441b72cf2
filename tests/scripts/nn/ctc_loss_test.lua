-- ctc_loss: values and gradients are PyTorch's, and agree with alignments counted by hand.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local F, nn = tide.nn.functional, tide.nn

--- Scores (5, 2, 4) and targets (2, 3) as in the PyTorch 2.12 program that computed the numbers below.
local function scores(device)
  return (tide.arange(40, {dtype = "float64", device = device}):reshape(5, 2, 4) * 0.7):sin()
end

describe("ctc_loss", function(device)
  local targets = tide.tensor({{2, 3, 3}, {4, 2, 1}}, {device = device})

  it("has PyTorch's values", function()
    local log_probs = scores(device):log_softmax(3)
    local function loss(options) return F.ctc_loss(log_probs, targets, {5, 4}, {3, 2}, options) end
    test.close(loss {reduction = "none"}, {6.01784312209659, 2.902483986490246})
    test.close(loss {reduction = "sum"}, 8.920327108586836)
    test.close(loss(), 1.7285948503053266)
    local flat = tide.tensor({2, 3, 3, 4, 2}, {device = device})
    local lengths = tide.tensor {5, 4}
    test.close(nn.CTCLoss()(log_probs, flat, lengths, tide.tensor {3, 2}), 1.7285948503053266)
  end)
  it("has PyTorch's gradient", function()
    local x = scores(device):requires_grad_()
    F.ctc_loss(x:log_softmax(3), targets, {5, 4}, {3, 2}):backward()
    local weights = tide.arange(40, {dtype = "float64", device = device}):reshape(5, 2, 4)
    test.close((x.grad * weights):sum(), 0.43101948944094737, {rtol = 1e-9})
    test.close(x.grad:abs():sum(), 1.6924262338268123)
  end)
  it("is infinite if no alignment exists, or 0 with zero_infinity", function()
    local log_probs = scores(device):log_softmax(3)
    local options = {reduction = "none"}
    local values = F.ctc_loss(log_probs, targets, {2, 4}, {3, 2}, options):tolist()
    test.equal(values[1], math.huge)
    test.close(values[2], 2.902483986490246)
    options.zero_infinity = true
    test.same_type(F.ctc_loss(log_probs, targets, {2, 4}, {3, 2}, options)[1]:item(), 0.0)
  end)
  it("of empty targets counts only blanks", function()
    -- torch.nn.functional.ctc_loss, the first target empty, then both.
    local x = scores(device):requires_grad_()
    local log_probs = x:log_softmax(3)
    local options = {reduction = "none"}
    local values = F.ctc_loss(log_probs, targets, {5, 4}, {0, 2}, options)
    test.close(values, {9.718744170916356, 2.902483986490246}, {rtol = 1e-12})
    test.close(values[1], -log_probs[{{}, 1, 1}]:sum(), {rtol = 1e-12})
    values:sum():backward()
    local weights = tide.arange(40, {dtype = "float64", device = device}):reshape(5, 2, 4)
    test.close((x.grad * weights):sum(), 8.81214231439931, {rtol = 1e-11})
    test.close(x.grad[{1, 1}], tide.tensor({-0.8742813625378477, 0.23943070935449084,
      0.33680229752753704, 0.2980483556558198}, {dtype = "float64"}), {rtol = 1e-11})
    log_probs = log_probs:detach()
    test.close(F.ctc_loss(log_probs, targets, {5, 4}, {0, 2}), 5.584993082080739, {rtol = 1e-12})
    local both = {9.718744170916356, 3.849184530322087}
    test.close(F.ctc_loss(log_probs, targets, {5, 4}, {0, 0}, options), both, {rtol = 1e-12})
    test.close(F.ctc_loss(log_probs, targets[{{}, {1, 0}}], {5, 4}, {0, 0}, options), both,
      {rtol = 1e-12})
    -- Empty targets take no space in concatenated ones.
    local flat = tide.tensor({4, 2}, {device = device})
    test.close(F.ctc_loss(log_probs, flat, {5, 4}, {0, 2}, options),
      {9.718744170916356, 2.902483986490246}, {rtol = 1e-12})
  end)
  it("accepts any class as the blank", function()
    -- The classes 1, 2, 3, 4 renamed to 2, 3, 4, 1: the same loss.
    local log_probs = scores(device):log_softmax(3)
    local renamed = tide.cat({log_probs[{{}, {}, {4, 4}}], log_probs[{{}, {}, {1, 3}}]}, 3)
    test.close(F.ctc_loss(renamed, targets % 4 + 1, {5, 4}, {3, 2}, {blank = 2}),
      1.7285948503053266)
  end)
  it("reports errors", function()
    local log_probs = scores(device):log_softmax(3)
    test.raises("target_lengths: expected 2 lengths", F.ctc_loss, log_probs, targets, {5, 4}, {3})
    test.raises("an input length of 9 exceeds the length of log_probs, 5", F.ctc_loss, log_probs, targets,
      {9, 4}, {3, 2})
    test.raises("blank is 5, but there are 4 classes", F.ctc_loss, log_probs, targets, {5, 4}, {3, 2},
      {blank = 5})
  end)
end)
