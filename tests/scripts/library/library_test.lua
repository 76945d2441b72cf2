-- The small helpers: classes, arguments of scripts, progress, and the test framework itself.
local tide = require "tide"
local test = require "tide.test"
local class = require "tide.class"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

describe("classes", function()
  it("inherit methods and metamethods", function()
    local Animal = class("Animal")
    function Animal:init(name) self.name = name end
    function Animal:__tostring() return self.name .. " the " .. self:kind() end
    function Animal:kind() return "animal" end
    local Fish = class("Fish", Animal)
    function Fish:kind() return "fish" end
    equal(tostring(Fish("Wanda")), "Wanda the fish")
    test.is_true(class.is_a(Fish("x"), Animal))
    test.is_false(class.is_a(Animal("x"), Fish))
    test.is_false(class.is_a("x", Fish))
  end)
end)

describe("script arguments", function()
  it("are read by names and defaults", function()
    local options = tide.args({epochs = 20, rate = 0.1, device = "cpu", quick = false},
      {"--epochs", "5", "--device=sim", "--quick", "file"})
    equal(options.epochs, 5)
    equal(options.rate, 0.1)
    equal(options.device, "sim")
    equal(options.quick, true)
    equal(options[1], "file")
  end)
  it("that are unknown or of the wrong kind are errors", function()
    raises("known are --epochs (20)", function() return tide.args({epochs = 20}, {"--epoch",
      "3"}) end)
    raises("expected an integer", function() return tide.args({epochs = 20}, {"--epochs",
      "3.5"}) end)
    raises("a value is missing", function() return tide.args({epochs = 20}, {"--epochs"}) end)
  end)
end)

describe("progress", function()
  it("iterates over numbers, lists, iterators and loaders", function()
    local seen = {}
    for i in tide.progress(3) do seen[#seen + 1] = i end
    for i, v in tide.progress({"a", "b"}, {label = "letters"}) do seen[#seen + 1] = i .. v end
    for k in tide.progress(pairs({key = 1})) do seen[#seen + 1] = k end
    local loader = tide.data.DataLoader(tide.tensor {7, 8, 9}, {batch_size = 2})
    for x in tide.progress(loader) do seen[#seen + 1] = x:sum():item() end
    equal(seen, {1, 2, 3, "1a", "2b", "key", 15, 9})
  end)
end)

describe("comparisons", function()
  local compare = require "tide.test.compare"

  it("report which element differs", function()
    local text = compare.close(tide.tensor({1.0, 2.5, 3.0}), tide.tensor({1.0, 2.0, 3.0}), 1e-5,
      1e-6)
    equal(text, "element 2 is 2.5, expected 2 (1 of 3 differ, by up to 0.5)")
  end)
  it("treat nan as nan and infinities as themselves", function()
    equal(compare.close({0 / 0, math.huge}, {0 / 0, math.huge}, 0, 0), nil)
    test.is_true(compare.close({math.huge}, {1.0}, 1e9, 1e9))
    test.is_true(compare.close({1.0}, {math.huge}, 1e9, 1e9))
  end)
  it("check types and shapes", function()
    test.is_true(compare.equal(tide.ones(2), tide.ones({2}, {dtype = "int64"})):find("type"))
    test.is_true(compare.equal(tide.ones(2), tide.ones(1, 2)):find("shape"))
    equal(compare.equal({1, {a = 2}}, {1, {a = 2}}), nil)
    test.is_true(compare.equal({1}, {1, 2}))
    equal(compare.same_type({2.0}, {2}), "[1]: 2 (float), expected 2 (integer)")
    equal(compare.equal("2", 2), "2 (string), expected 2 (integer)")
    local round, deep = {1}, {1}
    round[2] = {round}
    for _ = 1, 1000 do deep = {deep} end
    for _, check in ipairs {test.close, test.equal, test.same_type, test.identical} do
      test.raises("a table that contains itself cannot be compared", check, round, round)
      test.raises("tables in more than 150 others cannot be compared", check, deep, deep)
    end
    local shared = {1, 2}
    equal({shared, shared}, {{1, 2}, shared})
    test.is_nil(compare.equal(1, 1.0))
    test.is_true(compare.same_type(1, 1.0))
    test.raises("close: type float32, expected float64", test.close, tide.ones(2),
      tide.ones(2):double())
    test.raises("close: shape (2), expected (1, 2)", test.close, tide.ones(2), tide.ones(1, 2))
    test.raises("close: shape (2, 2), expected (4)", test.close, tide.ones(2, 2), {1, 1, 1, 1})
    test.raises("close: shape (1), expected ()", test.close, tide.ones(1), 1)
    test.raises("close: [2]: shape (1), expected (2)", test.close, {1, tide.ones(1)}, {1, {1, 1}})
    test.close({1, tide.ones(2)}, {1, {1, 1}})
    test.close(tide.ones(1, 0), {})
  end)
  it("check the sign of zero if bits are compared", function()
    test.is_true(compare.identical(tide.tensor({0.0}), tide.tensor({0.0}) * -1))
  end)
end)
