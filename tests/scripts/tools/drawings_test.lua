-- The drawings of an explanation: text, Graphviz's language, SVG; and their files.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, raises = test.equal, test.is_true, test.raises

--- Two inputs, a product, and a loop that reads both the product and an input.
local function two_steps(device)
  local x = tide.rand(4, 4, {device = device})
  local w = tide.rand(4, 4, {device = device})
  tide.flush()
  return (tide.explain(function() return x:matmul(w) + x end))
end

--- The same, of a script whose name needs escaping.
local function named_badly(device)
  local x = tide.rand(4, 4, {device = device})
  tide.flush()
  local fn = assert(load("local x = ... return x + 1", "@a\"b<c>&'d\\\1\xff.lua"))
  return (tide.explain(function() return fn(x) end))
end

--- Raises an error unless the text is one element with properly nested contents and no unescaped characters.
local function check_xml(text)
  is_true(utf8.len(text) ~= nil)
  is_true(text:find "[%z\1-\8\11\12\14-\31]" == nil)
  local open, elements, last = {}, 0, 1
  for before, closing, name, rest, after in text:gmatch "([^<]*)<(/?)(%a+)([^<>]*)>()" do
    is_true(before:find ">" == nil)
    is_true(before:gsub("&%a+;", ""):find "&" == nil)
    is_true(rest:gsub('%s[%w:-]+="[^"]*"', ""):match "^/?$" ~= nil)
    elements, last = elements + 1, after
    if closing == "/" then
      equal(table.remove(open), name)
    elseif rest:sub(-1) ~= "/" then
      is_true(#open > 0 or elements == 1)
      open[#open + 1] = name
    end
  end
  equal(open, {})
  equal(text:sub(last), "\n")
end

--- Raises an error unless quotes, and brackets outside of quotes, are closed. Returns the text outside of quotes.
local function check_dot(text)
  local outside = text:gsub("\\.", ""):gsub('"[^"]*"', "S")
  is_true(outside:find '"' == nil)
  local _, opened = outside:gsub("[{%[]", "")
  local _, closed = outside:gsub("[}%]]", "")
  equal(opened, closed)
  is_true(text:find "%c" == text:find "\n")
  return outside
end

local function count(text, pattern)
  local _, n = text:gsub(pattern, "")
  return n
end

describe("a graph as text", function(device)
  it("has inputs, a box for each step, and its readers", function()
    local lines = {}
    for line in two_steps(device):graph():gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("%S*drawings_test", "t") end
    equal(lines, {
      "input: rand  t.lua:9  (4, 4) float32  ──▶ 1, 2",
      "input: rand  t.lua:10  (4, 4) float32  ──▶ 1",
      "┌─ compute 1  (4, 4)",
      "│ ◀── input: rand  (4, 4) float32",
      "│ ◀── input: rand  (4, 4) float32",
      "│  matmul  t.lua:12  stored",
      "└──▶ 2",
      "┌─ loop 2  (4, 4)",
      "│ ◀── input: rand  (4, 4) float32",
      "│ ◀── compute 1  (4, 4) float32",
      "│  add  t.lua:12  stored",
      "└─",
    })
  end)
  it("puts a write to a part after the array that it writes to", function()
    local x = tide.rand(8, {device = device})
    tide.flush()
    local e = tide.explain(function()
      local y = x * 2
      y[1] = 0
      return y
    end)
    equal(count(e:graph(), "copy 2  %(8%) float32"), 1)
  end)
end)

describe("a graph in Graphviz's language", function(device)
  it("has a node for each step and input, a frame for each window, and edges", function()
    local text = two_steps(device):dot()
    local outside = check_dot(text)
    equal(count(outside, "n%d+ %[label=S "), 4)
    equal(count(outside, "n%d+ %-> n%d+ "), 4)
    equal(count(outside, "subgraph cluster_"), 1)
    is_true(text:find "^digraph tide {" ~= nil)
  end)
  it("escapes names", function()
    local text = named_badly(device):dot()
    check_dot(text)
    is_true(text:find([[a\"b<c>&'d\\]], 1, true) ~= nil)
  end)
  it("is accepted by dot, if it is installed", function()
    if not os.execute "command -v dot >/dev/null" then test.pending "Graphviz is not installed" end
    local path = os.tmpname() .. ".dot"
    test.finally(function() os.remove(path) end)
    named_badly(device):save(path)
    is_true(os.execute(("dot -Tsvg %s >/dev/null"):format(path)))
  end)
end)

describe("a graph as SVG", function(device)
  it("is well-formed, with a box for each node and a line for each edge", function()
    local text = two_steps(device):svg()
    check_xml(text)
    equal(count(text, '<rect x='), 4)
    equal(count(text, "marker%-end"), 4)
  end)
  it("escapes names", function()
    local text = named_badly(device):svg()
    check_xml(text)
    is_true(text:find("a&quot;b&lt;c&gt;&amp;&apos;d", 1, true) ~= nil)
  end)
  it("has separate boxes, each below its inputs", function()
    local x = {}
    for i = 1, 5 do x[i] = tide.rand(4 * i, 4, {device = device}) end
    local w = tide.rand(4, 4, {device = device})
    tide.flush()
    local e = tide.explain(function()
      local list = {}
      for i = 1, 5 do list[i] = (x[i]:matmul(w) + 1):exp():sum() end
      return tide.stack(list):sum() * 2
    end)
    local text, boxes = e:svg(), {}
    check_xml(text)
    for left, top, width, height in text:gmatch '<rect x="([%d.]+)" y="([%d.]+)" width="([%d.]+)" height="([%d.]+)"' do
      boxes[#boxes + 1] = {left = tonumber(left), top = tonumber(top), right = left + width, bottom = top + height}
    end
    is_true(#boxes > 10)
    for i, a in ipairs(boxes) do
      for k = i + 1, #boxes do
        local b = boxes[k]
        is_true(a.right <= b.left or b.right <= a.left or a.bottom <= b.top or b.bottom <= a.top)
      end
    end
    for from, to in text:gmatch 'd="M[%d.]+ ([%d.]+)C[%d. -]- ([%d.]+)" fill="none"' do
      is_true(tonumber(from) < tonumber(to))
    end
  end)
  it("can be empty", function()
    local e = tide.explain(function() end)
    check_xml(e:svg())
    check_dot(e:dot())
    equal(#e, 0)
  end)
end)

describe("the files of a graph", function(device)
  it("are complete, in the format of their extension", function()
    local e = two_steps(device)
    for ending, text in pairs {svg = e:svg(), dot = e:dot(), txt = e:graph()} do
      local path = os.tmpname() .. "." .. ending
      test.finally(function() os.remove(path) end)
      e:save(path)
      local file <close> = assert(io.open(path, "rb"))
      equal(file:read "a", text)
    end
  end)
  it("have a known extension, and an existing folder", function()
    local e = two_steps(device)
    raises("save: graph.png: expected a name that ends in .svg, .dot or .txt", e.save, e, "graph.png")
    raises("save: argument 1 (path): expected string, got nothing", e.save, e)
    raises("/no/such/folder/graph.svg", e.save, e, "/no/such/folder/graph.svg")
  end)
end)
