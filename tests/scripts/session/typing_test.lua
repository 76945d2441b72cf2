-- Display while an input is typed: colors, the open call, completions.
local tide, test = require "tide", require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal
local Session = require "tide.session.session"

--- A text with {kind:...} around colored parts.
local function marks(text)
  local names = {["35"] = "keyword", ["32"] = "string", ["36"] = "number", ["2"] = "comment",
    ["33"] = "type", ["1;4"] = "mate"}
  return (text:gsub("\27%[([%d;]+)m(.-)\27%[0m", function(code, inner)
    return ("{%s:%s}"):format(names[code], inner)
  end))
end

describe("colors of an input", function()
  for text, painted in pairs {
    ["local x = 1"] = "{keyword:local} x = {number:1}",
    ["x = 'end' -- if"] = "x = {string:'end'} {comment:-- if}",
    ["x = [==[ end ]] ]==] or 0x1p-3"] =
      "x = {string:[==[ end ]] ]==]} {keyword:or} {number:0x1p-3}",
    ["x = 'unfinished"] = "x = {string:'unfinished}",
    ["x = 1e-3 .. .5"] = "x = {number:1e-3} .. {number:.5}",
    ["--[[ a\nb ]] x"] = "{comment:--[[ a\nb ]]} x",
    ["'\\'' x"] = "{string:'\\''} x",
  } do
    it(("of %q"):format(text), function() equal(marks((Session():decorate(text, 0))), painted) end)
  end

  it("mark the bracket at the cursor and its mate", function()
    local session = Session()
    equal(marks((session:decorate("f(g(x))", 7))), "f{mate:(}g(x){mate:)}")
    equal(marks((session:decorate("f(g(x))", 3))), "f(g{mate:(}x{mate:)})")
    equal(marks((session:decorate("f(')'", 2))), "f({string:')'}")
    equal(marks((session:decorate("f(]", 2))), "f(]")
  end)
end)

describe("colors of a result", function()
  it("are those of numbers, types and devices", function()
    local text = Session():paint(tostring(tide.ones(2)))
    equal(marks(text),
      "tensor([{number:1.}, {number:1.}]) ({number:2}) {type:float32} {keyword:cpu}")
  end)
end)

describe("the signature of the open call", function()
  for text, signature in pairs {
    ["nn.Linear("] = "tide.nn.Linear(in_features, out_features, {bias, device, dtype})",
    ["y = tide.nn.Linear(3, f(2), "] =
      "tide.nn.Linear(in_features, out_features, {bias, device, dtype})",
    ["x:sum({1, 2}, {"] = "x:sum(dim?, keepdim?, dtype?)",
    ["f(x):sum("] = "x:sum(dim?, keepdim?, dtype?)",
    ["nn.Linear(3, 4)"] = "", ["f("] = "", ["x[{1, "] = "", ["nn.Linear('("] = "",
    ["nn.Linear(f("] = "", ["?nn.Linear("] = "",
  } do
    it(("of %q"):format(text), function()
      equal(select(2, Session():decorate(text, #text)), signature)
    end)
  end

  it("is shown at the end of the line only", function()
    equal(select(2, Session():decorate("nn.Linear(", 3)), "")
  end)
end)

describe("completions", function()
  for text, name in pairs {["optim.SGD(p, {l"] = "lr", ["optim.SGD(p, {lr = 1, m"] = "momentum",
    ["x:sum(1, {"] = "keepdim", ["%ti"] = "timeit", ["?softm"] = "softmax"} do
    it(("after %q"):format(text), function()
      equal(Session():candidates(text)[name], true)
    end)
  end
  it("are values elsewhere", function()
    for _, text in ipairs {"x = {l", "f({l", "optim.SGD({l", "lr", "optim.SGD(p, {lr = m"} do
      local names = Session():candidates(text)
      equal(names and names.momentum, text == "optim.SGD({l" or nil)
    end
  end)
end)
