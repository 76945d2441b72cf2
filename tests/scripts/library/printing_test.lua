-- Output of print: values in PyTorch's layout, then shape, type and device.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local function shows(text, x) test.equal(tostring(x), text) end

describe("printing", function()
  it("shows shape, type and device on one line", function()
    shows("tensor([1, 2, 3]) (3) int64 cpu", tide.tensor({1, 2, 3}))
    shows("tensor([1.0000, 2.5000]) (2) float32 cpu", tide.tensor({1.0, 2.5}))
    shows("tensor(7) () int64 cpu", tide.tensor(7))
    shows("tensor([ true, false]) (2) bool sim:0", tide.tensor({true, false}):to("sim:0"))
  end)
  it("aligns rows", function()
    shows("tensor([[ 1,  2],\n        [30, 40]]) (2, 2) int64 cpu", tide.tensor({{1, 2}, {30, 40}}))
  end)
  it("separates planes by an empty line, and does not truncate short ones", function()
    shows("tensor([[[1, 2],\n         [3, 4]],\n\n        [[5, 6],\n         [7, 8]]]) (2, 2, 2) int64 cpu",
      tide.range(1, 8):view(2, 2, 2))
    shows("tensor([[[1]],\n\n        [[2]],\n\n        [[3]],\n\n        [[4]],\n\n        [[5]]]) (5, 1, 1) int64 cpu",
      tide.range(1, 5):view(5, 1, 1))
  end)
  it("wraps rows at the configured width", function()
    tide.set_printoptions {linewidth = 20}
    local text = tostring(tide.range(1, 10))
    tide.set_printoptions {profile = "default"}
    test.equal(text, "tensor([ 1,  2,  3,\n         4,  5,  6,\n         7,  8,  9,\n        10]) (10) int64 cpu")
  end)
  it("marks integral floats by a dot and shows nan and inf", function()
    shows("tensor([1., 2.]) (2) float32 cpu", tide.tensor({1.0, 2.0}))
    shows("tensor([nan, inf]) (2) float32 cpu", tide.tensor({0 / 0, 1 / 0}):abs())
  end)
  it("summarizes long tensors", function()
    local text = tostring(tide.arange(100000))
    test.is_true(#text < 200)
    test.is_true(text:find("...", 1, true))
    test.is_true(text:find("(100000) int64 cpu", 1, true))
  end)
  it("shows empty tensors", function()
    shows("tensor([]) (0, 3) float32 cpu", tide.zeros({0, 3}))
  end)
  it("shows requires_grad", function()
    test.is_true(tostring(tide.ones({1}, {requires_grad = true})):find("requires_grad", 1, true))
  end)
end)
