-- Optimizers: every option changes the steps as it does in PyTorch.
local tide = require "tide"
local test = require "tide.test"
local describe, it, close = test.describe, test.it, test.close
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
end)
