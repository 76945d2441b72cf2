-- Sorting on a CUDA device: the same order as on the cpu, for any length and type, and with ties.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local kTypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}

--- Compares all results of `of(x)` on the device with the cpu's.
local function same(x, of)
  local there, here = table.pack(of(x:cuda())), table.pack(of(x))
  for i = 1, here.n do test.identical(there[i]:cpu(), here[i]) end
end

describe("sorting", function()
  for _, length in ipairs {1, 2, 3, 31, 64, 1000, 1024, 1025, 2048, 5000} do
    it("orders rows of " .. length, function()
      tide.manual_seed(length)
      local x = tide.randn(3, length)
      same(x, function(y) return y:sort(2) end)
      same(x, function(y) return y:sort(2, true) end)
      same((x * 2):floor(), function(y) return y:sort(2, true, true) end) -- ties keep their order
    end)
  end

  for _, dtype in ipairs(kTypes) do
    it("orders " .. dtype, function()
      local x = (tide.randn(2, 1500) * 40):to(dtype == "bool" and "int32" or dtype):to(dtype)
      same(x, function(y) return y:sort(2) end)
      same(x, function(y) return y:sort(2, true) end)
    end)
  end

  -- This number of elements uses radix sort.
  local long = {
    float32 = {9, 30001}, float64 = {1, 263000}, float16 = {3, 100003}, bfloat16 = {9, 30001},
    int32 = {9, 30001}, int16 = {9, 30001}, int8 = {70, 4097}, bool = {70, 4097},
  }
  for _, dtype in ipairs(kTypes) do
    if long[dtype] then
      it("orders long rows of " .. dtype, function()
        tide.manual_seed(11)
        local x = (tide.randn(long[dtype]) * 100):to(dtype == "bool" and "int32" or dtype):to(dtype)
        if x:is_floating_point() then
          for i, value in ipairs {0 / 0, -0.0, 0.0, math.huge, -math.huge} do x[{{}, {3 * i, 3 * i + 9}}] = value end
        end
        local descending = dtype == "float16" or dtype == "int16" or dtype == "int8"
        same(x, function(y) return y:sort(2, descending) end)
      end)
    end
  end

  it("sorts nan above all others, and -0 equal to 0", function()
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
      local inf = math.huge
      local x = tide.tensor({0, -0.0, 0 / 0, inf, -inf, 3, -3, 0 / 0, 0.0, -0.0}, {dtype = dtype})
      same(x, function(y) local _, places = y:sort(1) return places end)
      same(x, function(y) local _, places = y:sort(1, true) return places end)
    end
  end)

  it("supports topk and other ops based on sorting", function()
    local x = tide.randn(4, 3000)
    same(x, function(y) return y:topk(7, 2) end)
    same(x, function(y) return y:topk(5, 2, false) end)
    same(x, function(y) return y:median(2) end)
    same((x * 3):floor(), function(y) return y:unique() end)
  end)
end)
