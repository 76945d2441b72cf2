-- Samplers at the limits of their uniform numbers and of their types: no division by zero, no choices without weight,
-- no numbers out of the type's range.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises

describe("a sampler", function(device)
  local place = {device = device}
  -- Of 2^24 steps of a float32, four million numbers miss the first with probability 0.79: one of these seeds hits it.
  it("of exponential numbers never returns 0", function()
    for seed = 0, 7 do
      for _, dtype in ipairs {"float16", "float32", "float64"} do
        tide.manual_seed(seed)
        local x = tide.empty({1 << 21}, {dtype = dtype, device = device}):exponential_(seed % 2 == 0 and 1 or 1000)
        equal({x:gt(0):all():item(), x:isfinite():all():item()}, {true, true})
      end
    end
    tide.manual_seed(3)
    local x = tide.empty({100000}, place):exponential_(2)
    test.close(x:mean(), 0.5, {rtol = 0.02})
  end)
  it("by Gumbel's method has no row of nan and no impossible choice", function()
    for seed = 0, 9 do
      tide.manual_seed(seed)
      local y = tide.nn.functional.gumbel_softmax(tide.zeros({400, 1000}, place))
      equal(y:isfinite():all():item(), true)
    end
    for seed = 0, 40 do
      tide.manual_seed(seed)
      local p = tide.full({50, 4000}, 1e-30, place)
      p[{{}, 1}] = 1
      equal((p / tide.empty_like(p):exponential_(1)):argmax(2):eq(1):all():item(), true)
    end
  end)
  it("of integers covers all of int64", function()
    tide.manual_seed(1)
    local x = tide.randint(math.mininteger, math.maxinteger, {4000}, place)
    equal({x:unique():numel(), x:lt(0):any():item(), x:gt(0):any():item()}, {4000, true, true})
    local mean = x:double():mean():item() / 2.0 ^ 63
    equal(math.abs(mean) < 0.05, true)
    x = tide.randint(0, math.maxinteger, {1000}, place)
    equal({x:ge(0):all():item(), x:gt(1 << 62):any():item()}, {true, true})
    x = tide.randint(math.mininteger, -1, {1000}, place)
    equal({x:lt(0):all():item(), x:lt(-(1 << 62)):any():item()}, {true, true})
    x = tide.randint(math.maxinteger - 2, math.maxinteger, {100}, place)
    equal({x:min():item(), x:max():item()}, {math.maxinteger - 2, math.maxinteger})
    x = tide.zeros({1000}, {dtype = "int64", device = device})
    x:random_()
    equal({x:gt(0):all():item(), x:gt(1 << 62):any():item()}, {true, true})
    raises("randint: there are no numbers from 3 to 2", tide.randint, 3, 2, {1})
  end)
  it("of permutations fits its type", function()
    for dtype, most in pairs {uint8 = 255, int8 = 127, float16 = 2048, bfloat16 = 256, bool = 1} do
      local x = tide.randperm(most, {dtype = dtype, device = device})
      equal({x.dtype, x:double():sort():tolist()[most]}, {dtype, most + 0.0})
      equal(x:double():unique():numel(), most)
      raises(("randperm: n must be at most %d for %s, got %d"):format(most, dtype, most + 1), tide.randperm, most + 1,
        {dtype = dtype})
    end
  end)
  it("with replacement searches, and never chooses entries without weight", function()
    tide.manual_seed(4)
    local weights = tide.tensor({0, 1, 0, 3, 0}, place):double()
    local drawn = weights:multinomial(20000, true)
    local counts = drawn:bincount(nil, 6)
    equal({counts:size(1) <= 6, drawn:eq(2):logical_or(drawn:eq(4)):all():item()}, {true, true})
    test.close(drawn:eq(4):double():mean(), 0.75, {atol = 0.02})
    local rows = tide.tensor({{1, 0, 0}, {0, 0, 2}}, place):float():multinomial(5, true)
    equal(rows:tolist(), {{1, 1, 1, 1, 1}, {3, 3, 3, 3, 3}})
    -- As many draws as choices: some milliseconds by searching, minutes by comparing all.
    local many = tide.rand({100000}, place):add(0.1):multinomial(100000, true)
    equal({many:min():item() >= 1, many:max():item() <= 100000, many:size(1)}, {true, true, 100000})
  end)
end)

describe("isin", function(device)
  it("finds elements among many as among few", function()
    tide.manual_seed(6)
    for _, dtype in ipairs {"int64", "float32", "uint8"} do
      local x = tide.randint(0, 200, {30, 40}, {device = device}):to(dtype)
      local set = tide.randint(0, 200, {60}, {device = device}):to(dtype)
      local expected = x:unsqueeze(-1):eq(set):any(-1)
      equal(tide.isin(x, set):tolist(), expected:tolist())
      equal(tide.isin(x, set, {invert = true}):tolist(), expected:logical_not():tolist())
    end
    local x = tide.tensor({0 / 0, 1, 2, 1 / 0, -1 / 0}, {device = device})
    local set = tide.cat({tide.arange(1, 50, {device = device}):float(), x[{ {1, 1} }], x[{ {4, 4} }]})
    equal(tide.isin(x, set):tolist(), {false, true, true, true, false})
    equal(tide.isin(tide.tensor({true, false}, {device = device}), tide.ones({40}, {device = device}):bool()):tolist(),
      {true, false})
    equal(tide.isin(tide.tensor({1, 2}, {device = device}), tide.zeros({0}, {device = device})):tolist(), {false, false})
    equal(tide.isin(tide.tensor({1.5, 2}, {device = device}), tide.arange(1, 60, {device = device})):tolist(),
      {false, true})
  end)
end)
