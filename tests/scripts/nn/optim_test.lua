-- Optimizers: single steps compared with formulas, groups, state, errors.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, close, raises = test.same_type, test.close, test.raises
local optim = tide.optim

--- A parameter of one element whose gradient is set by hand.
local function parameter(value, device)
  return tide.tensor({value}, {dtype = "float64", device = device, requires_grad = true})
end

local function steps(optimizer, x, grads)
  for _, grad in ipairs(grads) do
    x.grad = tide.tensor({grad}, {dtype = "float64", device = x.device})
    optimizer:step()
  end
  return x:item()
end

describe("optimizers", function(device)
  it("SGD follows the negative gradient", function()
    local x = parameter(1.0, device)
    close(steps(optim.SGD({x}, {lr = 0.1}), x, {2.0}), 0.8)
  end)
  it("SGD with momentum, weight decay and nesterov", function()
    local x = parameter(1.0, device)
    local options = {lr = 0.1, momentum = 0.9, weight_decay = 0.5, nesterov = true}
    local got = steps(optim.SGD({x}, options), x, {2.0, -1.0})
    local value, buffer = 1.0, 0
    for i, grad in ipairs {2.0, -1.0} do
      grad = grad + 0.5 * value
      buffer = i == 1 and grad or 0.9 * buffer + grad
      value = value - 0.1 * (grad + 0.9 * buffer)
    end
    close(got, value, {rtol = 1e-12})
  end)
  it("Adam corrects the bias of its first steps", function()
    local x = parameter(1.0, device)
    local got = steps(optim.Adam({x}, {lr = 0.1}), x, {2.0, -1.0})
    local value, mean, square = 1.0, 0, 0
    for i, grad in ipairs {2.0, -1.0} do
      mean, square = 0.9 * mean + 0.1 * grad, 0.999 * square + 0.001 * grad * grad
      local step = mean / (1 - 0.9 ^ i) / (math.sqrt(square / (1 - 0.999 ^ i)) + 1e-8)
      value = value - 0.1 * step
    end
    close(got, value, {rtol = 1e-12})
  end)
  it("AdamW decays weights separately from the gradient", function()
    local x = parameter(1.0, device)
    close(steps(optim.AdamW({x}, {lr = 0.1, weight_decay = 0.5}), x, {2.0}), 0.95 - 0.1,
      {rtol = 1e-7})
  end)
  -- Formulas of the papers for one number: state -> step for a gradient.
  local formulas = {
    RMSprop = {{lr = 0.1, alpha = 0.9, momentum = 0.5, centered = true}, function(s, grad)
      s.square = 0.9 * (s.square or 0) + 0.1 * grad * grad
      s.mean = 0.9 * (s.mean or 0) + 0.1 * grad
      local step = grad / (math.sqrt(s.square - s.mean * s.mean) + 1e-8)
      s.buffer = 0.5 * (s.buffer or 0) + step
      return 0.1 * s.buffer
    end},
    Adagrad = {{lr = 0.1, lr_decay = 0.5, initial_accumulator_value = 0.2}, function(s, grad)
      s.sum = (s.sum or 0.2) + grad * grad
      s.count = (s.count or -1) + 1
      return 0.1 / (1 + 0.5 * s.count) * grad / (math.sqrt(s.sum) + 1e-10)
    end},
    Adadelta = {{lr = 0.5, rho = 0.9}, function(s, grad)
      s.square = 0.9 * (s.square or 0) + 0.1 * grad * grad
      local delta = math.sqrt((s.delta or 0) + 1e-6) / math.sqrt(s.square + 1e-6) * grad
      s.delta = 0.9 * (s.delta or 0) + 0.1 * delta * delta
      return 0.5 * delta
    end},
    Adamax = {{lr = 0.1}, function(s, grad)
      s.count = (s.count or 0) + 1
      s.mean = 0.9 * (s.mean or 0) + 0.1 * grad
      s.top = math.max(0.999 * (s.top or 0), math.abs(grad) + 1e-8)
      return 0.1 / (1 - 0.9 ^ s.count) * s.mean / s.top
    end},
    NAdam = {{lr = 0.1}, function(s, grad)
      s.count = (s.count or 0) + 1
      local mu = 0.9 * (1 - 0.5 * 0.96 ^ (s.count * 0.004))
      local ahead = 0.9 * (1 - 0.5 * 0.96 ^ ((s.count + 1) * 0.004))
      s.product = (s.product or 1) * mu
      s.mean = 0.9 * (s.mean or 0) + 0.1 * grad
      s.square = 0.999 * (s.square or 0) + 0.001 * grad * grad
      local mean = ahead * s.mean / (1 - s.product * ahead) + (1 - mu) * grad / (1 - s.product)
      return 0.1 * mean / (math.sqrt(s.square / (1 - 0.999 ^ s.count)) + 1e-8)
    end},
    RAdam = {{lr = 0.1}, function(s, grad)
      s.count = (s.count or 0) + 1
      local t = s.count
      s.mean = 0.9 * (s.mean or 0) + 0.1 * grad
      s.square = 0.999 * (s.square or 0) + 0.001 * grad * grad
      local mean = s.mean / (1 - 0.9 ^ t)
      local longest = 2 / 0.001 - 1
      local length = longest - 2 * t * 0.999 ^ t / (1 - 0.999 ^ t)
      if length <= 5 then return 0.1 * mean end
      local trust = math.sqrt((length - 4) * (length - 2) * longest
        / ((longest - 4) * (longest - 2) * length))
      return 0.1 * mean * trust * math.sqrt(1 - 0.999 ^ t) / (math.sqrt(s.square) + 1e-8)
    end},
    Rprop = {{lr = 0.1}, function(s, grad)
      local agreement = grad * (s.last or 0)
      local factor = agreement > 0 and 1.2 or agreement < 0 and 0.5 or 1
      s.size = math.min(math.max((s.size or 0.1) * factor, 1e-6), 50)
      s.last = agreement < 0 and 0 or grad
      return s.size * (s.last > 0 and 1 or s.last < 0 and -1 or 0)
    end},
  }
  for name, entry in pairs(formulas) do
    it(name .. " follows its formula", function()
      local x = parameter(1.0, device)
      local grads = {2.0, -1.0, -0.5, 0.3, 1.5, 1.2, -0.7}
      local got = steps(optim[name]({x}, entry[1]), x, grads)
      local value, state = 1.0, {}
      for _, grad in ipairs(grads) do value = value - entry[2](state, grad) end
      close(got, value, {rtol = 1e-9})
    end)
  end
  it("ASGD decays the learning rate, and averages the parameters from t0 on", function()
    local x = parameter(1.0, device)
    local optimizer = optim.ASGD({x}, {lr = 0.1, lambd = 0.01, t0 = 1})
    steps(optimizer, x, {1.0, 1.0, 1.0})
    local value, mean, eta, mu = 1.0, 0, 0.1, 1
    for t = 1, 3 do
      value = value * (1 - 0.01 * eta) - eta
      mean = mu == 1 and value or mean + (value - mean) * mu
      eta, mu = 0.1 / (1 + 0.01 * 0.1 * t) ^ 0.75, 1 / math.max(1, t - 1)
    end
    close({x:item(), optimizer.state[x].ax:item()}, {value, mean}, {rtol = 1e-9})
  end)
  it("Adafactor keeps squares by rows and columns", function()
    local w = tide.tensor({{1, 2, -0.5}, {0.3, 0.2, 0.9}},
      {dtype = "float64", device = device, requires_grad = true})
    local b = tide.tensor({0.5, -1},
      {dtype = "float64", device = device, requires_grad = true})
    local adafactor = optim.Adafactor({w, b}, {lr = 0.1, weight_decay = 0.01})
    for _ = 1, 3 do
      adafactor:zero_grad()
      local loss = (w * w):sum() * 0.5 + (w:sum(2) * b):sum() + (b ^ 3):sum()
      loss:backward()
      adafactor:step()
    end
    close(w, {{0.7820312899631259, 1.7622602289360236, -0.36857327015359437},
      {0.5855189843347675, 0.4095358723783345, 1.2231408056554416}}, {rtol = 1e-10})
    close(b, {0.26608554769111536, -1.2562836215662678}, {rtol = 1e-10})
  end)
  it("Muon orthogonalizes matrices, within the precision of bfloat16", function()
    local w = tide.tensor({{1.0, 2.0, -0.5}, {0.3, 0.2, 0.9}},
      {device = device, requires_grad = true})
    local muon = optim.Muon({w}, {lr = 0.1})
    for _ = 1, 2 do
      muon:zero_grad();
      (w ^ 3):sum():backward()
      muon:step()
    end
    close(w, {{0.94609320, 1.82456720, -0.49424958}, {0.27827954, 0.20885691, 0.70050013}},
      {atol = 0.01})
    -- Tall matrices take longer steps: torch.optim.Muon after three.
    local cases = {
      {{4, 2}, {}, {-0.25819, 0.84276, 0.48775, -0.55945, -0.80955, 0.37785, 1.12025, 0.08211}},
      {{2, 4}, {}, {-0.21308, 0.93765, 0.56176, -0.59170, -0.83863, 0.31622, 1.13642, 0.23628}},
      {{4, 2}, {adjust_lr_fn = "match_rms_adamw", nesterov = false, weight_decay = 0.5,
        momentum = 0.5},
        {-0.07298, 0.80245, 0.43910, -0.56382, -0.75231, 0.22020, 0.89539, 0.20919}},
    }
    for _, case in ipairs(cases) do
      local shape, options, expected = table.unpack(case)
      local iota = tide.arange(8, {dtype = "float32", device = device})
      local x = (iota * 1.3):sin():reshape(shape):requires_grad_()
      options.lr = 0.1
      local optimizer = optim.Muon({x}, options)
      for t = 0, 2 do
        x.grad = (iota * (0.7 + t)):cos():reshape(shape)
        optimizer:step()
      end
      close(x:reshape(-1), expected, {atol = 0.01})
    end
    raises("parameter 1 has 1 dimensions", optim.Muon, {tide.ones({3}, {device = device})})
  end)
  it("call a closure for the gradients and return its loss", function()
    local x = parameter(3.0, device)
    local optimizer = optim.SGD({x}, {lr = 0.1})
    local loss = optimizer:step(function()
      optimizer:zero_grad()
      local square = (x * x):sum()
      square:backward()
      return square
    end)
    close({loss:item(), x:item()}, {9.0, 3.0 - 0.6})
  end)
  for _, search in ipairs {false, "strong_wolfe"} do
    local way = search and "by searching" or "by steps"
    it("LBFGS finds the minimum of a valley " .. way, function()
      local x = tide.tensor({-1.2, 1.0}, {dtype = "float64", device = device, requires_grad = true})
      local optimizer = optim.LBFGS({x}, {lr = search and 1 or 0.1, max_iter = 60,
        line_search_fn = search})
      local function closure()
        optimizer:zero_grad()
        -- Rosenbrock's curved valley with line search, a quadratic without.
        local loss = search and (1 - x[1]) ^ 2 + (x[2] - x[1] ^ 2) ^ 2 * 100
          or ((x - 1) ^ 2 * tide.tensor({1.0, 3.0}, {dtype = "float64", device = device})):sum()
        loss:backward()
        return loss
      end
      local start = optimizer:step(closure):item()
      for _ = 1, 4 do optimizer:step(closure) end
      close(x:detach(), {1, 1}, {rtol = 1e-4})
      test.is_true(start > 0.1)
      raises("step expects a function", optimizer.step, optimizer)
    end)
  end
  it("LBFGS updates all parameters together", function()
    -- The minimum of a quadratic with a mixed term.
    local x, y = parameter(3.0, device), parameter(-2.0, device)
    local optimizer = optim.LBFGS({x, y}, {line_search_fn = "strong_wolfe"})
    for _ = 1, 6 do
      optimizer:step(function()
        optimizer:zero_grad()
        local loss = ((x - 1) ^ 2 + (x + y * 2) ^ 2):sum()
        loss:backward()
        return loss
      end)
    end
    close({x:item(), y:item()}, {1, -0.5}, {rtol = 1e-5})
  end)
  it("clip gradients by their norm and by value", function()
    local utils = tide.nn.utils
    local x, y = parameter(1.0, device), parameter(1.0, device)
    x.grad, y.grad = tide.full_like(x, 3.0), tide.full_like(y, -4.0)
    close(utils.clip_grad_norm_({x, y}, 10), 5.0)
    close({x.grad:item(), y.grad:item()}, {3.0, -4.0})
    close(utils.clip_grad_norm_({x, y}, 1, {norm_type = math.huge}), 4.0)
    close({x.grad:item(), y.grad:item()}, {0.75, -1.0}, {rtol = 1e-5})
    x.grad, y.grad = tide.full_like(x, 3e-6), tide.full_like(y, -4e-6)
    utils.clip_grad_norm_({x, y}, 3e-6)
    -- 3e-6 / (5e-6 + 1e-6)
    close({x.grad:item(), y.grad:item()}, {1.5e-6, -2e-6}, {rtol = 1e-12, atol = 0})
    x.grad, y.grad = tide.full_like(x, 0.75), tide.full_like(y, -1)
    utils.clip_grad_value_({x, y}, 0.5)
    close({x.grad:item(), y.grad:item()}, {0.5, -0.5})
    x.grad = tide.full_like(x, 0 / 0)
    raises("the norm of the gradients is", utils.clip_grad_norm_, {x}, 1,
      {error_if_nonfinite = true})
    local vector = utils.parameters_to_vector({x, y})
    utils.vector_to_parameters(vector * 2, {x, y})
    close({x:item(), y:item()}, {2.0, 2.0})
  end)
  it("skip parameters without a gradient", function()
    local x, y = parameter(1.0, device), parameter(5.0, device)
    local optimizer = optim.SGD({x, y}, {lr = 1.0})
    x.grad = tide.ones_like(x)
    optimizer:step()
    equal({x:item(), y:item()}, {0.0, 5.0})
    optimizer:zero_grad()
    equal(x.grad, nil)
  end)
  it("accept groups with their own options", function()
    local x, y = parameter(1.0, device), parameter(1.0, device)
    local optimizer = optim.SGD({{params = {x}}, {params = {y}, lr = 0.5}}, {lr = 0.1})
    x.grad, y.grad = tide.ones_like(x), tide.ones_like(y)
    optimizer:step()
    close({x:item(), y:item()}, {0.9, 0.5})
    optimizer.param_groups[1].lr = 0.0
    optimizer:step()
    close({x:item(), y:item()}, {0.9, 0.0})
  end)
  it("continue from a saved state", function()
    local function run(split)
      local x = parameter(1.0, device)
      local options = {lr = 0.1, momentum = 0.9}
      local optimizer = optim.SGD({x}, options)
      if not split then return steps(optimizer, x, {1.0, 2.0, 3.0}) end
      steps(optimizer, x, {1.0, 2.0})
      local again = optim.SGD({x}, options)
      again:load_state_dict(optimizer:state_dict())
      return steps(again, x, {3.0})
    end
    equal(run(true), run(false))
  end)
  it("call hooks before and after a step", function()
    for _, make in ipairs {optim.SGD, optim.LBFGS} do
      local x = parameter(3.0, device)
      local optimizer, seen = make({x}, {lr = 0.1}), {}
      local function closure()
        optimizer:zero_grad()
        local loss = x:square():sum()
        loss:backward()
        return loss
      end
      local removes = {
        optimizer:register_step_pre_hook(function(which, fn)
          seen[#seen + 1] = which == optimizer and fn == closure and x:item()
        end),
        optimizer:register_step_post_hook(function() seen[#seen + 1] = x:item() end),
      }
      optimizer:step(closure)
      equal({#seen, seen[1], seen[2]}, {2, 3.0, x:item()})
      test.is_true(x:item() < 3)
      for _, remove in ipairs(removes) do remove() end
      optimizer:step(closure)
      equal(#seen, 2)
    end
  end)
  it("do not count a failed step", function()
    local function run(failing)
      local x, y = parameter(1.0, device), parameter(1.0, device)
      local optimizer = optim.Adam({x, y}, {lr = 0.1})
      for i = 1, 3 do
        x.grad, y.grad = tide.ones_like(x), tide.ones_like(y)
        if i == failing then
          local whole = optimizer.update
          function optimizer:update(parameter, ...)
            whole(self, parameter, ...)
            if parameter == y then error("stopped") end
          end
          raises("stopped", optimizer.step, optimizer)
          optimizer.update = nil
          equal({optimizer.state[x].step, optimizer.state[y].step}, {i - 1, i - 1})
        end
        optimizer:step()
      end
      return {x:item(), y:item()}
    end
    equal({run(1), run(2)}, {run(), run()})
  end)
  it("reduce a loss", function()
    tide.manual_seed(2)
    local net = tide.nn.Sequential(tide.nn.Linear(3, 8), tide.nn.Tanh(), tide.nn.Linear(8,
      1)):to(device)
    local x = tide.randn(32, 3, {device = device})
    local y = x:sum(2, true):sin()
    local optimizer = optim.Adam(net:parameters(), {lr = 0.02})
    local first, last
    for _ = 1, 150 do
      optimizer:zero_grad()
      local loss = tide.nn.functional.mse_loss(net(x), y)
      loss:backward()
      optimizer:step()
      first, last = first or loss, loss
    end
    test.is_true(last:item() < 0.1 * first:item())
  end)
end)

describe("optimizers", function()
  it("report known options and wrong parameters", function()
    local x = parameter(1.0, "cpu")
    raises("known are", function() return optim.SGD({x}, {learning_rate = 1}) end)
    raises("net:parameters()", function() return optim.SGD(x) end)
    raises("Adam: params: element 1: expected tensor, got number", function() return optim.Adam({1, 2}) end)
    raises("nesterov requires momentum", function() return optim.SGD({x}, {nesterov = true}) end)
  end)
end)

describe("averaged models", function(device)
  local nn, swa = tide.nn, optim.swa_utils
  it("average all models, or exponentially", function()
    local net = nn.Linear(1, 1, {bias = false, device = device})
    local mean = swa.AveragedModel(net)
    local forgetful = swa.AveragedModel(net, {avg_fn = swa.get_ema_avg_fn(0.5)})
    for _, value in ipairs {1, 2, 6} do
      tide.no_grad(function() net.weight:fill_(value) end)
      mean:update_parameters(net)
      forgetful:update_parameters(net)
    end
    close(mean.module.weight, {{3}})
    close(forgetful.module.weight, {{3.75}})
    close(mean(tide.ones({1, 1}, {device = device})), {{3}})
    equal(mean.n_averaged:item(), 3)
    local names = {}
    for name in pairs(mean:state_dict()) do names[#names + 1] = name end
    table.sort(names)
    equal(names, {"module.weight", "n_averaged"})
  end)
  it("copy buffers, or average them", function()
    local net = nn.BatchNorm1d(1, {device = device})
    local newest, meaned = swa.AveragedModel(net), swa.AveragedModel(net, {use_buffers = true})
    for _, value in ipairs {2, 4} do
      net.running_mean:fill_(value)
      newest:update_parameters(net)
      meaned:update_parameters(net)
    end
    close(newest.module.running_mean, {4})
    close(meaned.module.running_mean, {3})
  end)
  it("SWALR moves the rate to its target, down or up", function()
    local sgd = optim.SGD({parameter(1.0, device)}, {lr = 1})
    local plan = swa.SWALR(sgd, 0.5, {anneal_epochs = 4, anneal_strategy = "linear"})
    local rates = {}
    for i = 1, 6 do
      plan:step()
      rates[i] = sgd.param_groups[1].lr
    end
    close(rates, {0.875, 0.75, 0.625, 0.5, 0.5, 0.5})
    sgd = optim.SGD({parameter(1.0, device)}, {lr = 1})
    plan = swa.SWALR(sgd, 0.2, {anneal_epochs = 3})
    for i = 1, 4 do
      plan:step()
      rates[i] = sgd.param_groups[1].lr
    end
    close({table.unpack(rates, 1, 4)}, {0.8, 0.4, 0.2, 0.2}, {rtol = 1e-12})
    sgd = optim.SGD({parameter(1.0, device)}, {lr = 1})
    plan = swa.SWALR(sgd, 0.2)
    rates = {}
    for i = 1, 11 do
      plan:step()
      rates[i] = sgd.param_groups[1].lr
    end
    -- torch.optim.swa_utils.SWALR: ten steps along a cosine.
    close(rates, {0.9804226065181, 0.92360679775, 0.835114100917, 0.72360679775, 0.6, 0.47639320225,
      0.364885899083, 0.27639320225, 0.2195773934819, 0.2, 0.2}, {rtol = 1e-11})
    for _, strategy in ipairs {"linear", "cos"} do
      sgd = optim.SGD({parameter(1.0, device)}, {lr = 1})
      plan = swa.SWALR(sgd, 0.2, {anneal_epochs = 1, anneal_strategy = strategy})
      plan:step()
      close(sgd.param_groups[1].lr, 0.2)
    end
    raises([[anneal_strategy must be "cos" or "linear", got "steps"]], swa.SWALR, sgd, 1, {anneal_strategy = "steps"})
  end)
end)
