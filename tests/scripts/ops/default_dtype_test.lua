-- The default floating type: where it is used, and where not.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.equal, test.raises

describe("the default type", function(device)
  local on = {device = device}
  local function whole(values) return tide.tensor(values, on) end
  test.after_each(function() tide.set_default_dtype("float32") end)

  -- Results that are float32 unless something else was set (as torch.set_default_dtype does).
  local makers = {
    function() return tide.tensor({1.5, 2}, on) end,
    function() return tide.tensor({}, on) end,
    function() return tide.zeros(2, on) end,
    function() return tide.ones(2, on) end,
    function() return tide.empty(2, on) end,
    function() return tide.full({2}, 0.5, on) end,
    function() return tide.arange(0, 1, 0.25, on) end,
    function() return tide.range(0, 1, 0.25, on) end,
    function() return tide.linspace(0, 1, 3, on) end,
    function() return tide.logspace(0, 1, 3, on) end,
    function() return tide.eye(2, on) end,
    function() return tide.rand(2, on) end,
    function() return tide.randn(2, on) end,
    function() return tide.normal(0, 1, {2}, on) end,
    function() return tide.hann_window(4, on) end,
    function() return tide.scalar_tensor(1, on) end,
    function() return whole {1, 2} / whole {2, 2} end,
    function() return whole {1, 2} * 0.5 end,
    function() return whole {1, 2}:sqrt() end,
    function() return whole {1, 2}:bool():exp() end,
    function() return whole {1, 2}:atan2(whole {1, 1}) end,
    function() return tide.where(whole {1, 0}:bool(), 1.5, 0.5) end,
    function() return tide.special.entr(whole {1, 2}) end,
    function() return whole {1, 2}:logsumexp(1) end,
    function() return whole {1, 2}:cov() end,
    function() return tide.nn.Linear(2, 2, on).weight end,
    function() return tide.nn.BatchNorm1d(2, on).running_mean end,
  }

  it("is used for new tensors and for integers that become floating", function()
    for _, dtype in ipairs {"float64", "float16", "bfloat16", "float32"} do
      tide.set_default_dtype(dtype)
      equal(tide.get_default_dtype(), dtype)
      for i, make in ipairs(makers) do
        local got = make().dtype
        if got ~= dtype then error(("maker %d gives %s, not %s"):format(i, got, dtype)) end
      end
      equal(tide.result_type(whole {1, 2}, 0.5), dtype)
    end
  end)
  it("keeps all digits of numbers if it is float64", function()
    tide.set_default_dtype("float64")
    equal(tide.tensor(0.1, on):item(), 0.1)
    equal((whole {1} * 0.1):item(), 0.1)
  end)
  it("does not affect integers, and tensors that have a type", function()
    local single = tide.ones(2, {dtype = "float32", device = device})
    tide.set_default_dtype("float64")
    equal(whole({1, 2}).dtype, "int64")
    equal((single * 0.5).dtype, "float32")
    equal((single + whole {1, 2}).dtype, "float32")
    equal(tide.zeros_like(single).dtype, "float32")
    equal(single:to(device).dtype, "float32")
  end)
  it("must be floating", function()
    raises("set_default_dtype: expected a floating type, got int64", tide.set_default_dtype, "int64")
    raises("there is no type", tide.set_default_dtype, "float31")
  end)
end)
