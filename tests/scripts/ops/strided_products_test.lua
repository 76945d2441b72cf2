-- Matmuls of stacks of matrices that are not contiguous.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.same_type

describe("a matmul of stacks", function(device)
  local function numbers(...)
    local shape = {...}
    local count = 1
    for _, size in ipairs(shape) do count = count * size end
    return tide.range(1, count):to("float32"):view(shape):to(device)
  end
  it("of one row each, not adjacent in memory", function()
    local rows = numbers(3, 2, 2):narrow(2, 2, 1)
    equal(rows:matmul(tide.eye(2, {device = device})):tolist(), {{{3.0, 4.0}}, {{7.0, 8.0}}, {{11.0, 12.0}}})
    equal(rows:matmul(tide.eye(2, {device = device}):expand(3, 2, 2)):tolist(), {{{3.0, 4.0}}, {{7.0, 8.0}}, {{11.0, 12.0}}})
    local stacks = numbers(2, 3, 2, 2):narrow(3, 1, 1)
    equal(stacks:matmul(tide.eye(2, {device = device})):sum({3, 4}):tolist(), {{3.0, 11.0, 19.0}, {27.0, 35.0, 43.0}})
  end)
  it("in another order than in memory", function()
    local a, b = numbers(2, 3, 2, 2):transpose(1, 2), numbers(3, 2, 2, 2)
    local found = a:matmul(b)
    for i = 1, 3 do
      for j = 1, 2 do
        for row = 1, 2 do
          for column = 1, 2 do
            local sum = 0
            for k = 1, 2 do
              local left = ((j - 1) * 3 + i - 1) * 4 + (row - 1) * 2 + k
              local right = ((i - 1) * 2 + j - 1) * 4 + (k - 1) * 2 + column
              sum = sum + left * right
            end
            equal(found[{i, j, row, column}]:item(), sum + 0.0)
          end
        end
      end
    end
  end)
end)

describe("a simulated accelerator", function()
  it("needs its time for each launch, of a loop and of a compute op", function()
    local x = tide.ones({8}, {device = "sim:0"})
    tide.synchronize()
    tide.sim.configure {index = 0, launch_cost = 0.03}
    for _, op in ipairs {function() return x + 1 end, function() return x:cumsum(1) end} do
      local start, finish = tide.Event {device = "sim:0", timing = true}, tide.Event {device = "sim:0", timing = true}
      start:record "sim:0"
      local y = op()
      finish:record "sim:0"
      finish:synchronize()
      test.is_true(start:elapsed_time(finish) >= 30 * 0.99, tostring(start:elapsed_time(finish)))
      test.is_true(y:sum():item() > 8)
    end
    tide.sim.configure {index = 0, launch_cost = 0}
  end)
end)
