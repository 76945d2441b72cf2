-- Features of a session for notebook cells: commands among lines, texts aside, help at a cursor.
local tide, test = require "tide", require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal
local Session = require "tide.session.session"
local divide = require "tide.session.divide"
local notebook = require "tide.display.notebook"

--- The parts of a text, as "line: text".
local function parts(text)
  local session, list = Session(), {}
  for i, part in ipairs(divide(text, function(lua) return session:check(lua) == "unfinished" end)) do
    list[i] = part.line .. ": " .. part.text
  end
  return list
end

describe("an input with commands among its lines", function()
  for text, expected in pairs {
    ["x = 1\ny = 2"] = {"1: x = 1\ny = 2"},
    ["%device sim\nx = 1\ny = 2"] = {"1: %device sim", "2: x = 1\ny = 2"},
    ["x = 1\n!ls\n?tide\n%time f(x)\ny = 2"] = {"1: x = 1", "2: !ls", "3: ?tide", "4: %time f(x)", "5: y = 2"},
    ["%time for i = 1, 2 do\n  f(i)\nend\nx"] = {"1: %time for i = 1, 2 do\n  f(i)\nend", "4: x"},
    ["x = [[\n%time\n!ls\n]]"] = {"1: x = [[\n%time\n!ls\n]]"},
    ["x = y\n  % 3\n% 4"] = {"1: x = y\n  % 3\n% 4"},
    ["\n  %help\n\n"] = {"2:   %help"},
    ["--[[\n!ls]]"] = {"1: --[[\n!ls]]"},
  } do
    it(("%q has %d parts"):format(text, #expected), function() equal(parts(text), expected) end)
  end

  it("runs them in order, and displays the results of all but the last", function()
    local session, shown = Session(), {}
    notebook.show = function(forms) shown[#shown + 1] = forms["text/plain"] end
    test.finally(function() notebook.show = nil end)
    local kind, run = session:read("local q = 5\n%device\nq + 1\n%device\nq + 2", 1)
    equal(kind, "run")
    equal(run(), 7)
    equal(shown, {"cpu", "6", "cpu"})
  end)

  it("preserves line numbers", function()
    local kind, message = Session():read("%device\n\nx = = 2", 4)
    equal({kind, message}, {"wrong", "In [4]:3: unexpected symbol near '='"})
    local _, run = Session():read("%device\n\nerror 'no'", 4)
    test.raises("In [4]:3: no", run)
  end)

  it("runs nothing if a later part is wrong", function()
    equal(Session():read("%device sim\nx = = 2", 1), "wrong")
    equal(tostring(tide.get_default_device()), "cpu")
  end)
end)

describe("a text aside", function()
  it("is not kept, and neither is its result", function()
    local session = Session()
    local _, run = session:read("7", 1)
    session:finish(run())
    _, run = session:read("8", 2, true)
    session:finish(run())
    equal({_, _G._, _G._1, _G._2}, {"run", 7, 7})
    equal(session:list_inputs(), {{number = 1, text = "7"}})
  end)

  it("that is only checked declares nothing", function()
    local session = Session()
    equal({session:check "local print = 5"}, {"run", 0})
    equal({session:check "for i = 1, 2 do f {"}, {"unfinished", 2})
    equal({session:check "x = = 1"}, {"wrong", 0})
    local _, run = session:read("print", 1)
    equal(run(), print)
  end)
end)

describe("help at a cursor", function()
  local session = Session()
  x_of_this_test = tide.ones(2)
  for text, begins in pairs {
    ["y = tide.mat|mul(a)"] = "x:matmul(", ["y = tide.matmul(a, |"] = "x:matmul(",
    ["x_of_this_test:sum|"] = "x:sum(",
    ["nn.Lin|ear"] = "tide.nn.Linear(", ["|tide.matmul"] = "On a name: tide.help",
    ["no_such_name|"] = "", ["1 + |"] = "",
  } do
    it(("of %q"):format(text), function()
      local position = text:find("|", 1, true) - 1
      local found = session:explain((text:gsub("|", "")), position) or ""
      equal(found:sub(1, math.max(#begins, 1)), begins)
    end)
  end
end)

describe("the representations of a value", function(device)
  local forms = require "tide.display.forms"

  it("are its text, and a table for a matrix", function()
    equal(forms.of(3), {["text/plain"] = "3"})
    equal(forms.of({1, a = 2}), {["text/plain"] = "{1, a = 2}"})
    equal(forms.of(1, nil, "x"), {["text/plain"] = "1\tnil\tx"})
    local x = tide.tensor({{1.5, -2}, {0, 4}}, {device = device})
    local found = forms.of(x)
    equal(found["text/plain"], tostring(x))
    local html = found["text/html"]
    test.is_true(html:find("<tr><th></th><th>1</th><th>2</th></tr>", 1, true), html)
    test.is_true(html:find("<tr><th>2</th><td>0.0000</td><td>4.0000</td></tr>", 1, true), html)
    test.is_nil(forms.of(tide.ones(2, 2, 2))["text/html"])
    test.is_nil(forms.of(tide.ones(0, 2))["text/html"])
    test.is_nil(forms.of(tide.tensor(1))["text/html"])
  end)

  it("include an image for images", function()
    local x = tide.zeros({3, 20, 30}, {dtype = "uint8", device = device})
    equal(tide.vision.decode_png(tide.from_bytes(forms.of(x)["image/png"])).shape, {3, 20, 30})
    test.is_nil(forms.of(tide.zeros({3, 4, 5}, {dtype = "uint8"}))["image/png"])
    local Drawing = tide.class "Drawing"
    function Drawing:svg() return "<svg/>" end
    equal(forms.of(Drawing())["image/svg+xml"], "<svg/>")
    function Drawing:svg() return '<?xml version="1.0" encoding="utf-8"?>\n<svg/>' end
    equal(forms.of(Drawing())["image/svg+xml"], "<svg/>")
    function Drawing:svg() error("no pen", 0) end
    local found, problem = forms.of(Drawing())
    equal({found["image/svg+xml"], problem}, {nil, "no pen"})
  end)

  it("are those defined by an object", function()
    local value = setmetatable({}, {__mimebundle = function() return {["text/html"] = "<b>x</b>"} end})
    equal(forms.of(value)["text/html"], "<b>x</b>")
  end)
end)

describe("tide.display", function()
  it("checks its options", function()
    test.raises("display: unknown option 'clean': known is clear", function() tide.display(1, {clean = true}) end)
  end)
end)
