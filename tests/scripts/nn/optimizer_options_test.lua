-- Optimizers: every option changes the steps as in PyTorch, and has PyTorch's default.
local tide = require "tide"
local test = require "tide.test"
local describe, it, close, equal = test.describe, test.it, test.close, test.same_type
local raises = test.raises
local sin = math.sin

-- {class, options, parameters after 8 steps}: torch.optim in float64 (the default type too, in which
-- it keeps factors), from {1, -2, 0.5} with the gradients sin(2.3 t + 0.9 i) + 0.2 i at step t (from 1) of element i (from 0).
local cases = {
  {"SGD", {lr = 0.1, momentum = 0.8, dampening = 0.3, weight_decay = 0.2},
    {0.564005407367107, -1.59966372725104, -0.100162245252864}},
  {"SGD", {lr = 0.1, momentum = 0.8, nesterov = true, maximize = true},
    {1.03295664542541, -1.58342721722877, 1.3888186938817}},
  {"SGD", {lr = 0.1, weight_decay = 0.2, maximize = true},
    {0.827655377578216, -1.57229197016802, 0.722095104050343}},
  {"Adam", {lr = 0.1, betas = {0.7, 0.9}, eps = 0.05, weight_decay = 0.2},
    {0.778629603416074, -1.70175439247113, 0.216184010245985}},
  {"Adam", {lr = 0.1, betas = {0.7, 0.6}, amsgrad = true, maximize = true},
    {1.07854904735609, -1.81625965510613, 0.687165575992059}},
  {"AdamW", {lr = 0.1, betas = {0.7, 0.9}, eps = 0.05, weight_decay = 0.3},
    {0.726968939934348, -1.72189450574006, 0.183960398875019}},
  {"AdamW", {lr = 0.1, betas = {0.7, 0.6}, amsgrad = true, maximize = true},
    {1.06995519082498, -1.80105786849304, 0.683050880698977}},
  {"NAdam", {lr = 0.1, betas = {0.7, 0.9}, eps = 0.05, momentum_decay = 0.3},
    {0.979415431880561, -2.17029326397676, 0.219799240656365}},
  {"NAdam", {lr = 0.1, betas = {0.7, 0.9}, weight_decay = 0.3, maximize = true},
    {0.802040012692465, -1.44187592785282, 0.676312217097311}},
  {"NAdam", {lr = 0.1, betas = {0.7, 0.9}, weight_decay = 0.3, decoupled_weight_decay = true},
    {0.777675488908584, -1.74621226341963, 0.109822030007938}},
  {"NAdam", {lr = 0.1},
    {0.969833648750598, -2.17183140085997, 0.262611161869761}},
  {"RAdam", {lr = 0.1, betas = {0.7, 0.9}, eps = 0.05, weight_decay = 0.3},
    {0.782653462733521, -1.71939361809009, 0.289450404022408}},
  {"RAdam", {lr = 0.1, betas = {0.7, 0.9}, weight_decay = 0.3, decoupled_weight_decay = true},
    {0.745567642879047, -1.63435500583014, 0.268249472884032}},
  {"RAdam", {lr = 0.1, betas = {0.7, 0.9}, maximize = true},
    {1.04971462206642, -1.92609746553607, 0.631923057732834}},
  {"Adamax", {lr = 0.1, betas = {0.7, 0.9}, eps = 0.3},
    {0.943908428042445, -2.09316389034416, 0.372360916400578}},
  {"Adamax", {lr = 0.1, betas = {0.7, 0.6}, weight_decay = 0.3, maximize = true},
    {0.828472578877805, -1.42804643552487, 0.575610612143323}},
  {"Adagrad", {lr = 0.1, lr_decay = 0.3, weight_decay = 0.2, initial_accumulator_value = 0.1,
    eps = 0.05},
    {0.915615520719976, -1.87865448412146, 0.420147758583267}},
  {"Adagrad", {lr = 0.1, maximize = true},
    {1.03305462472463, -1.88101904994162, 0.645283773027747}},
  {"Adadelta", {lr = 0.7, rho = 0.8, eps = 0.05, weight_decay = 0.2},
    {0.719093537613561, -1.4767395381544, -0.621423862523901}},
  {"Adadelta", {maximize = true},
    {0.999668864309098, -1.99323313585425, 0.513379132647165}},
  {"RMSprop", {lr = 0.1, alpha = 0.8, eps = 0.05, weight_decay = 0.2, momentum = 0.6},
    {0.529669007998528, -1.22579631281059, -0.277293308544071}},
  {"RMSprop", {lr = 0.1, alpha = 0.8, centered = true, maximize = true},
    {1.07099860364097, -1.67016031059648, 0.924157329486219}},
  {"Rprop", {lr = 0.1, etas = {0.4, 1.5}, step_sizes = {0.05, 0.2}},
    {0.775, -2.325, 0.375}},
  {"Rprop", {lr = 0.01, maximize = true},
    {1.0225, -1.978, 0.502}},
  {"ASGD", {lr = 0.1, lambd = 0.3, alpha = 0.5, weight_decay = 0.2, t0 = 2},
    {0.699844026711802, -1.46673174097683, 0.0766350855118406}},
  {"ASGD", {lr = 0.1, maximize = true},
    {0.980415583000029, -1.86348121437028, 0.810065791504829}},
  {"Adafactor", {lr = 0.1, beta2_decay = -0.5, eps = {0.01, 0.2}, d = 1.2, weight_decay = 0.3},
    {0.814855058367107, -1.747949097629, 0.0603868265496539}},
  {"Adafactor", {lr = 0.1, maximize = true},
    {0.970140307652514, -1.78656425793405, 0.88228277292872}},
}

describe("options of optimizers", function(device)
  for _, case in ipairs(cases) do
    local class, options, expected = table.unpack(case)
    local names = {}
    for name in pairs(options) do names[#names + 1] = name end
    table.sort(names)
    it(("of %s: %s"):format(class, table.concat(names, ", ")), function()
      local place = {dtype = "float64", device = device}
      local x = tide.tensor({1.0, -2.0, 0.5}, place):requires_grad_()
      local optimizer = tide.optim[class]({x}, options)
      for t = 1, 8 do
        x.grad = tide.tensor({sin(2.3 * t), sin(2.3 * t + 0.9) + 0.2, sin(2.3 * t + 1.8) + 0.4},
          place)
        optimizer:step()
      end
      close(x:detach(), tide.tensor(expected, place), {rtol = 1e-12, atol = 1e-13})
    end)
  end
  it("continue from a saved state", function()
    local place = {dtype = "float64", device = device}
    local function steps(optimizer, x, from, to)
      for t = from, to do
        x.grad = tide.tensor({sin(t), sin(2 * t), sin(3 * t)}, place)
        optimizer:step()
      end
    end
    for _, case in ipairs(cases) do
      local class, options = table.unpack(case)
      local function new() return tide.tensor({1.0, -2.0, 0.5}, place):requires_grad_() end
      local x, y = new(), new()
      local through, first = tide.optim[class]({x}, options), tide.optim[class]({y}, options)
      steps(through, x, 1, 8)
      steps(first, y, 1, 4)
      local second = tide.optim[class]({y})
      second:load_state_dict(first:state_dict())
      steps(second, y, 5, 8)
      test.identical(y, x)
    end
  end)

  -- {options, steps, evaluations, first loss of each step, parameters}: torch.optim.LBFGS, float64.
  local descents = {
    {{lr = 1, max_iter = 6, line_search_fn = "strong_wolfe"}, 22,
      {24.95, 4.502954219717, 3.315118216159},
      {-0.3324624959763, 0.06394493070185, 0.3840978986524}},
    {{lr = 0.5, max_iter = 5, history_size = 2, line_search_fn = "strong_wolfe"}, 24,
      {24.95, 4.985145665616, 4.245091266701, 3.314908603841},
      {-0.4176415038068, 0.1535927477107, 0.7114907086951}},
    {{lr = 0.001, max_iter = 4}, 12, {24.95, 24.66747367465, 24.52631571299},
      {-1.197793179197, 1.001090394979, 0.5001787094711}},
    {{max_eval = 7, line_search_fn = "strong_wolfe"}, 22,
      {24.95, 4.502954219717, 3.315118216159},
      {-0.3324624959763, 0.06394493070185, 0.3840978986524}},
    {{max_iter = 50, tolerance_grad = 0.5, line_search_fn = "strong_wolfe"}, 45,
      {24.95, 0.0003017320676845, 0.0003017320676845},
      {1.016742879601, 1.034228380085, 1.034338245426}},
    {{max_iter = 50, tolerance_change = 0.05, line_search_fn = "strong_wolfe"}, 8,
      {24.95, 5.052617388458, 4.980018722409}, {-1.020194284121, 1.01808503295, 0.5359917863017}},
  }
  for i, case in ipairs(descents) do
    local options, evaluations, losses, expected = table.unpack(case)
    it(("of LBFGS: descent %d"):format(i), function()
      local x = tide.tensor({-1.2, 1, 0.5}, {dtype = "float64", device = device}):requires_grad_()
      local optimizer, calls = tide.optim.LBFGS({x}, options), 0
      local function closure()
        calls = calls + 1
        optimizer:zero_grad()
        local loss = (1 - x[1]) ^ 2 + (x[2] - x[1] ^ 2) ^ 2 * 100 + (x[3] - x[2]) ^ 2 * 3
        loss:backward()
        return loss
      end
      local got = {}
      for k = 1, #losses do got[k] = optimizer:step(closure):item() end
      equal(calls, evaluations)
      -- Near the minimum losses are squares of rounding errors.
      close(got, losses, {rtol = 1e-7})
      close(x:tolist(), expected, {rtol = 1e-8})
    end)
  end
  it("of ASGD: the parameters are averaged from t0 on", function()
    local x = tide.tensor({1.0}, {dtype = "float64", device = device}):requires_grad_()
    local optimizer = tide.optim.ASGD({x}, {lr = 0.1, lambd = 0.01, t0 = 2})
    local means = {}
    for t = 1, 6 do
      x.grad = tide.tensor({0.7 + 0.3 * t}, {dtype = "float64", device = device})
      optimizer:step()
      means[t] = optimizer.state[x].ax:item()
    end
    close(means, {0.899, 0.7681990884262, 0.6076716203921, 0.4174916933435, 0.3076124207698,
      0.1878981373353}, {rtol = 1e-7})
  end)
end)

describe("the text of an optimizer", function()
  it("has a line per group, with the options in alphabetical order", function()
    local x, y = tide.ones(2), tide.ones(3)
    local optimizer = tide.optim.SGD({{params = {x, y}}, {params = {tide.ones(1)}, lr = 0.5}}, {lr = 0.25, momentum = 0.5})
    local function group(i, count, lr)
      return ("  [%d]: %d parameters, dampening = 0, lr = %s, maximize = false, momentum = 0.5, nesterov = false, weight_decay = 0")
        :format(i, count, lr)
    end
    test.equal(tostring(optimizer), "SGD(\n" .. group(1, 2, 0.25) .. "\n" .. group(2, 1, 0.5) .. "\n)")
  end)
end)

describe("defaults of optimizers", function()
  local betas = {0.9, 0.999}
  -- torch.optim's; nil is false there, or "original" for Muon's adjust_lr_fn.
  local defaults = {
    SGD = {lr = 0.001, momentum = 0, dampening = 0, weight_decay = 0, nesterov = false,
      maximize = false},
    Adam = {lr = 0.001, betas = betas, eps = 1e-8, weight_decay = 0, amsgrad = false,
      maximize = false},
    AdamW = {lr = 0.001, betas = betas, eps = 1e-8, weight_decay = 0.01, amsgrad = false,
      maximize = false},
    NAdam = {lr = 0.002, betas = betas, eps = 1e-8, weight_decay = 0, momentum_decay = 0.004,
      decoupled_weight_decay = false, maximize = false},
    RAdam = {lr = 0.001, betas = betas, eps = 1e-8, weight_decay = 0,
      decoupled_weight_decay = false, maximize = false},
    Adamax = {lr = 0.002, betas = betas, eps = 1e-8, weight_decay = 0, maximize = false},
    Adagrad = {lr = 0.01, lr_decay = 0, eps = 1e-10, weight_decay = 0,
      initial_accumulator_value = 0, maximize = false},
    Adadelta = {lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0, maximize = false},
    RMSprop = {lr = 0.01, momentum = 0, alpha = 0.99, eps = 1e-8, centered = false,
      weight_decay = 0, maximize = false},
    Rprop = {lr = 0.01, etas = {0.5, 1.2}, step_sizes = {1e-6, 50}, maximize = false},
    ASGD = {lr = 0.01, lambd = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0, maximize = false},
    Adafactor = {lr = 0.01, beta2_decay = -0.8, eps = {false, 0.001}, d = 1, weight_decay = 0,
      maximize = false},
    LBFGS = {lr = 1, max_iter = 20, max_eval = false, tolerance_grad = 1e-7,
      tolerance_change = 1e-9, history_size = 100, line_search_fn = false},
    Muon = {lr = 0.001, weight_decay = 0.1, momentum = 0.95, nesterov = true,
      ns_coefficients = {3.4445, -4.775, 2.0315}, eps = 1e-7, ns_steps = 5,
      adjust_lr_fn = "original"},
  }
  --- A list with every number as a float.
  local function as_floats(value)
    if type(value) == "number" then return value + 0.0 end
    if type(value) ~= "table" then return value end
    local list = {}
    for key, inner in pairs(value) do list[key] = as_floats(inner) end
    return list
  end
  for class, expected in pairs(defaults) do
    it(("are PyTorch's: %s"):format(class), function()
      local group = tide.optim[class]({tide.zeros(2, 2)}).param_groups[1]
      group.params = nil
      equal(as_floats(group), as_floats(expected))
    end)
  end
end)

describe("options out of range", function()
  local w = tide.ones(1, {requires_grad = true})
  local refused = {
    {"SGD", {lr = -1}, "SGD: lr must be non-negative, got -1"}, {"Adam", {lr = 0 / 0}, "Adam: lr must be non-negative"},
    {"SGD", {momentum = -0.1}, "SGD: momentum must be non-negative, got -0.1"},
    {"SGD", {nesterov = 1}, "SGD: option 'nesterov': expected boolean, got number"},
    {"AdamW", {weight_decay = -0.5}, "AdamW: weight_decay must be non-negative"},
    {"Adam", {eps = -1}, "Adam: eps must be non-negative"}, {"RMSprop", {alpha = -1}, "RMSprop: alpha must be"},
    {"Adam", {betas = 3}, "Adam: option 'betas': expected table of 2 numbers, got number"},
    {"Adam", {betas = {1.5, 0.9}}, "betas must be at least 0 and below 1, got {1.5, 0.9}"}, {"NAdam", {betas = {0.9}}, "got {0.9}"},
    {"Adadelta", {rho = 1.1}, "Adadelta: rho must be between 0 and 1, got 1.1"},
    {"Adagrad", {lr_decay = -1}, "lr_decay must be"}, {"Adagrad", {initial_accumulator_value = -1}, "must be non-negative"},
    {"Adafactor", {beta2_decay = 0.1}, "Adafactor: beta2_decay must be at most 0, got 0.1"},
    {"Adafactor", {eps = {1}}, "Adafactor: eps[2]: expected number, got nothing"},
    {"Adafactor", {d = 0.5}, "Adafactor: d must be at least 1, got 0.5"},
    {"Rprop", {etas = {1.2, 0.5}}, "Rprop: etas must be two numbers, below 1 and above 1, got {1.2, 0.5}"},
    {"Rprop", {step_sizes = {2, 1}}, "Rprop: step_sizes must be two numbers, in order, got {2, 1}"},
  }
  for _, case in ipairs(refused) do
    local class, options, message = table.unpack(case)
    it(("are rejected: %s, %s"):format(class, next(options)), function()
      raises(message, tide.optim[class], {w}, options)
      raises(message, tide.optim[class], {{params = {w}, [next(options)] = select(2, next(options))}})
    end)
  end
  it("are not checked in tensors, which would wait", function()
    equal(tide.optim.SGD({w}, {lr = tide.tensor(0.5)}).param_groups[1].lr:item(), 0.5)
  end)
end)

describe("an optimizer of a script", function()
  it("may have an init with other arguments than PyTorch's", function()
    local Own = tide.class("Own", tide.optim.Optimizer)
    function Own:init(params) tide.optim.Optimizer.init(self, params, {lr = 0.1}) end
    raises("Own.init: expected (self, params, options, defaults): a table with a value for every option, got nil", Own,
      {tide.ones(1, {requires_grad = true})})
  end)
end)

describe("a parameter that is passed twice", function()
  local v, w = tide.ones(1, {requires_grad = true}), tide.ones(1, {requires_grad = true})
  it("is rejected, as it would be stepped twice", function()
    raises("SGD: parameter 2 occurs twice in the list: pass each parameter once", tide.optim.SGD, {w, w})
    raises("SGD: parameter 2 of group 2 is also in group 1: pass each parameter once", tide.optim.SGD,
      {{params = {w}}, {params = {v, w}}})
    local optimizer = tide.optim.Adam({w})
    raises("Adam: parameter 1 of group 2 is also in group 1", optimizer.add_param_group, optimizer, {params = {w}})
    equal(#optimizer.param_groups, 1)
  end)
  it("is allowed if a network holds it twice but lists it once", function()
    local net = tide.nn.Sequential(tide.nn.Linear(2, 2), tide.nn.Linear(2, 2))
    net[2].weight = net[1].weight
    equal(#tide.optim.SGD(net:parameters()).param_groups[1].params, 3)
  end)
  it("is rejected without groups, too", function()
    local optimizer = tide.optim.SGD({w})
    raises("add_param_group: argument 1 (group): expected table, got tensor", optimizer.add_param_group, optimizer, v)
    raises("got a table without params", optimizer.add_param_group, optimizer, {v})
  end)
end)
