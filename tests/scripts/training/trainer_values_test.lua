-- tide.Trainer computes the same values as a manual loop, and as PyTorch.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal = test.close, test.same_type

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local small = dofile(here .. "/../support/small_training.lua")
local F = tide.nn.functional
local schedules = tide.optim.lr_scheduler

local kEpochs <const> = 2

--- The manual loop. `way` has the autocast type, the number of batches in a step, the kind of gradient
--- clipping, and a scheduler.
local function by_hand(way)
  tide.manual_seed(3)
  local train = small.loaders()
  local net = small.network()
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  local schedule = way.schedule and way.schedule(optimizer)
  local scaler = way.type == "float16" and tide.amp.GradScaler() or nil
  local count, losses = way.accumulate or 1, {}
  for epoch = 1, kEpochs do
    local sum, samples = 0, 0
    for i, x, y in train:enumerate() do
      if (i - 1) % count == 0 then optimizer:zero_grad() end
      local function compute() return F.cross_entropy(net(x), y) end
      local loss = way.type and tide.autocast({dtype = way.type}, compute) or compute()
      local scaled = count > 1 and loss / count or loss
      if scaler then scaled = scaler:scale(scaled) end
      scaled:backward()
      if i % count == 0 or i == #train then
        if scaler and way.clip then scaler:unscale_(optimizer) end
        if way.clip then way.clip(net:parameters()) end
        if scaler then scaler:step(optimizer) scaler:update() else optimizer:step() end
        if schedule and way.interval == "step" then schedule:step() end
      end
      sum, samples = sum + loss:item() * #x, samples + #x
    end
    losses[epoch] = sum / samples
    if schedule and way.interval ~= "step" then schedule:step(losses[epoch]) end
  end
  return {net = net:state_dict(), optimizer = optimizer:state_dict(), losses = losses,
    random = tide.get_rng_state()}
end

local function by_trainer(way, options)
  tide.manual_seed(3)
  local train = small.loaders()
  local net = small.network()
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  options.max_epochs = kEpochs
  local history = small.trainer(options):fit(net, train, {
    loss = F.cross_entropy, optimizer = optimizer,
    scheduler = way.schedule and {
      scheduler = way.schedule(optimizer), interval = way.interval, monitor = way.monitor,
    },
  })
  local losses = {}
  for i, row in ipairs(history) do losses[i] = row.loss end
  return {net = net:state_dict(), optimizer = optimizer:state_dict(), losses = losses,
    random = tide.get_rng_state()}
end

local function norm(parameters) tide.nn.utils.clip_grad_norm_(parameters, 0.1) end

local ways = {
  plain = {{}, {}},
  ["accumulated gradients"] = {{accumulate = 2}, {accumulate_grad_batches = 2}},
  ["gradients clipped by norm"] = {{clip = norm}, {gradient_clip_val = 0.1}},
  ["gradients clipped by value"] = {
    {clip = function(parameters) tide.nn.utils.clip_grad_value_(parameters, 0.01) end},
    {gradient_clip_val = 0.01, gradient_clip_algorithm = "value"},
  },
  ["bf16-mixed"] = {{type = "bfloat16"}, {precision = "bf16-mixed"}},
  ["16-mixed, clipped"] = {{type = "float16", clip = norm},
    {precision = "16-mixed", gradient_clip_val = 0.1}},
  ["a schedule of steps"] = {
    {interval = "step", schedule = function(optimizer) return schedules.StepLR(optimizer, 2,
      0.5) end}, {},
  },
  ["a schedule of epochs"] = {
    {interval = "epoch", schedule = function(optimizer) return schedules.ExponentialLR(optimizer,
      0.5) end}, {},
  },
  ["a rate that falls on a plateau"] = {{
    monitor = "loss",
    schedule = function(optimizer)
      return schedules.ReduceLROnPlateau(optimizer,
        {patience = 0, threshold = 10, threshold_mode = "abs"})
    end,
  }, {}},
}

describe("a training by tide.Trainer", function()
  for name, way in pairs(ways) do
    it("has the same bits as the manual loop: " .. name, function()
      local expected, got = by_hand(way[1]), by_trainer(way[1], way[2])
      close(got.losses, expected.losses, {rtol = 1e-12})
      got.losses, expected.losses = nil, nil
      small.identical(got, expected)
    end)
  end
  it("has PyTorch's losses and weights", function()
    -- Of torch.nn.Linear with these weights, SGD(lr=0.1, momentum=0.9), clip_grad_norm_(1.0), two
    -- batches in a step, StepLR(1, 0.5) by epochs, 3 epochs of 4 batches.
    local net = tide.nn.Linear(2, 1)
    tide.no_grad(function()
      net.weight:copy_(tide.tensor {{0.5, -0.25}})
      net.bias:fill_(0.1)
    end)
    local x = tide.tensor {{1.0, 2.0}, {-1.0, 0.5}, {0.25, -0.75}, {2.0, 1.0}, {0.0, 1.5},
      {1.5, -0.5}, {-2.0, 1.0},
      {0.5, 0.5}}
    local y = (x:narrow(2, 1, 1) * 2 - x:narrow(2, 2, 1) * 3 + 1)
    local loader = tide.data.DataLoader(tide.data.TensorDataset(x, y), {batch_size = 2})
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
    local history = small.trainer({max_epochs = 3, gradient_clip_val = 1.0,
      accumulate_grad_batches = 2}):fit(net, loader, {
      loss = F.mse_loss, optimizer = optimizer, scheduler = schedules.StepLR(optimizer, 1, 0.5),
    })
    close({history[1].loss, history[2].loss, history[3].loss}, {9.67519701, 7.8017447, 6.29639715},
      {rtol = 1e-5})
    close(net.weight:detach(), {{0.893647134, -0.90378195}}, {rtol = 1e-5})
    close(net.bias:detach(), {0.0335146897}, {rtol = 1e-5})
    equal(optimizer.param_groups[1].lr, 0.1 / 8)
  end)
end)
