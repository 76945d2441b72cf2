-- Compute ops with data-dependent loops: same results on a CUDA device as on the cpu, bit for bit.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

--- `compute` returns the same on the cpu and on the CUDA device, from the same seed.
local function same_bits(compute)
  local found = {}
  for _, device in ipairs {"cpu", "cuda"} do
    tide.manual_seed(11)
    found[device] = compute(device):cpu()
  end
  test.identical(found.cuda, found.cpu)
end

describe("data-dependent loops", function()
  it("draw the counts of Poisson's distribution, small and large ones", function()
    same_bits(function(device) return tide.poisson(tide.linspace(0, 60, 300, {device = device})) end)
  end)
  it("draw the counts of binomial distributions, of any strides", function()
    same_bits(function(device)
      local tries = tide.linspace(0, 90, 20, {dtype = "float64", device = device})
      local odds = tide.linspace(0, 1, 12, {dtype = "float64", device = device})
      return tide.binomial(tries:unsqueeze(1):expand(12, 20), odds:unsqueeze(2):expand(12, 20))
    end)
  end)
  for _, dtype in ipairs {"float64", "float32", "bfloat16"} do
    it("sum incomplete gamma functions of " .. dtype, function()
      for _, name in ipairs {"igamma", "igammac"} do
        same_bits(function(device)
          local options = {dtype = dtype, device = device}
          local a = tide.tensor({0, 0.5, 1, 3, 9.5, 50, 200, 5000}, options):unsqueeze(2)
          local x = tide.tensor({0, 0.2, 1, 3.5, 60, 199, 5050, math.huge, -1}, options)
          return tide[name](a, x)
        end)
      end
    end)
  end
end)
