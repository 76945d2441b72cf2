-- The line search of LBFGS takes the same steps as PyTorch, evaluation by evaluation.
local tide = require "tide"
local test = require "tide.test"

local functions = {
  rosen = function(x) return (1 - x[1]) ^ 2 + (x[2] - x[1] ^ 2) ^ 2 * 100 end,
  sine = function(x) return (x * 5):sin():sum() + (x * x):sum() * 0.3 end,
  steep = function(x) return (x[1] * 20):tanh() * 2 + (x * x):sum() + x[2] * x[1] end,
  abs = function(x) return (x * x + 1e-4):sqrt():sum() end,
  far = function(x) return ((x - 30) ^ 2):sum():sqrt() * 2 + (x[1] - 20) ^ 4 * 1e-3 end,
  flat = function(x) return -(1 / (1 + (x - 40) ^ 2 / 50)):sum() * 100 end,
  log = function(x) return (1 + ((x - 50) ^ 2):sum() / 10):log() * 10 end,
}

-- Two steps of torch.optim.LBFGS in float64 from (-1.2, 1): the function, lr, max_iter, evaluations, final position.
local descents = {
  {"steep", 1, 4, 11, {-0.164967925682, 0.0836168461043}},
  {"steep", 1, 8, 14, {-0.162148397324, 0.0810748224343}},
  {"steep", 5, 8, 22, {-0.162147726868, 0.0810739389215}},
  {"steep", 0.1, 2, 5, {-0.510039655644, 0.545058022373}},
  {"abs", 30, 4, 11, {-0.00301799644986, -0.0578959324634}},
  {"abs", 30, 8, 22, {0.000826409173772, 0.00120853490508}},
  {"abs", 5, 8, 20, {-8.07028851726e-07, 4.94429538095e-06}},
  {"sine", 1, 4, 9, {-1.53377604938, 0.920344879}},
  {"sine", 5, 2, 6, {-1.2, 1}},
  {"sine", 30, 8, 17, {-1.53377374405, 0.92034387765}},
  {"rosen", 1, 1, 4, {-1.2, 1}},
  {"rosen", 1, 8, 20, {-0.0461901917126, -0.0180115663647}},
  -- Steps that are extended several times.
  {"rosen", 0.1, 8, 20, {-0.5861673902, 0.313548286212}},
  {"far", 0.1, 4, 11, {9.55979513044, 2.72012968069}},
  {"far", 0.1, 8, 20, {27.1518302839, 30.4265851485}},
  {"flat", 0.1, 4, 12, {45.3187784034, 68.7249819723}},
  {"flat", 1, 8, 21, {39.9994944158, 39.9710694026}},
  {"log", 0.1, 8, 21, {50.0018902281, 50.0018090074}},
}

test.describe("LBFGS with strong_wolfe", function(device)
  for _, case in ipairs(descents) do
    local name, lr, max_iter, evaluations, expected = table.unpack(case)
    test.it(("minimizes %s, lr %g, max_iter %d"):format(name, lr, max_iter), function()
      local x = tide.tensor({-1.2, 1}, {dtype = "float64", device = device}):requires_grad_()
      local optimizer = tide.optim.LBFGS({x}, {lr = lr, max_iter = max_iter, line_search_fn = "strong_wolfe"})
      local count = 0
      for _ = 1, 2 do
        optimizer:step(function()
          count = count + 1
          optimizer:zero_grad()
          local loss = functions[name](x)
          loss:backward()
          return loss
        end)
      end
      test.equal(count, evaluations)
      test.close(x:tolist(), expected, {rtol = 1e-6, atol = 1e-8})
    end)
  end

  --- The end of a step from 0, its number of evaluations, and the minimum of the loss: a cubic with slope -1 at 0, and
  --- slope 0.5 at the first tried size, 1, where it has fallen by `fall`.
  local function one_step(fall)
    local a, b = 1.5 - 3 * fall, 2 * fall - 0.5
    local x, count = tide.zeros({1}, {dtype = "float64", device = device, requires_grad = true}), 0
    local optimizer = tide.optim.LBFGS({x}, {max_iter = 1, max_eval = 10, line_search_fn = "strong_wolfe"})
    optimizer:step(function()
      count = count + 1
      optimizer:zero_grad()
      local loss = (x ^ 3 * b + x ^ 2 * a - x):sum()
      loss:backward()
      return loss
    end)
    return x:tolist()[1], count, (math.sqrt(4 * a * a + 12 * b) - 2 * a) / (6 * b)
  end
  test.it("accepts a step if the loss falls by a ten-thousandth of what the slope predicts", function()
    local place, count = one_step(1.1e-4)
    test.equal({place, count}, {1.0, 2})
  end)
  test.it("continues to the minimum of the cubic if it falls by less", function()
    for _, fall in ipairs {0.9e-4, 1.1e-5} do
      local place, count, least = one_step(fall)
      test.close(place, least, {rtol = 1e-9})
      test.equal(count, 3)
    end
  end)
end)
