-- Hints added to Lua's messages on Python syntax, and messages without hints.
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal

local count = 0

--- The hint added to Lua's message on a text; nil if there is none.
local function advice(text)
  count = count + 1
  local chunk = "=text" .. count
  local _, message = load(text, chunk)
  assert(message, "this is Lua: " .. text)
  source.keep(chunk, text, 1)
  local described = mistakes.in_syntax(message, chunk)
  assert(described:sub(1, #message) == message, "Lua's own message stands first")
  return described:sub(#message + 1):match "^\nin Lua: (.*)$"
end

local kMistakes <const> = {
  {"local c = a @ b", "a:matmul(b)"},
  {"print(a[1:2])", "x[{ {first, last} }], with both ends, and {} for all"},
  {"print(a[:2], 1)", "x[{ {first, last} }], with both ends, and {} for all"},
  {"print(a[i:j])", "x[{ {first, last} }], with both ends, and {} for all"},
  {"print(a[b[1]:])", "x[{ {first, last} }], with both ends, and {} for all"},
  {"y = x[:, 1]", "x[{ {first, last} }], with both ends, and {} for all"},
  {"print(x[1,2])", "x[{1, 2}]"},
  {"print(x:sum(dim=1))", "f(x, {name = value})"},
  {"conv = nn.Conv2d(3, 64,\n  kernel_size=3)", "f(x, {name = value})"},
  {"local function f(a=1) return a end", "if x == nil then x = 1 end"},
  {"print(x ** 2)", "a ^ b"},
  {"total += loss", "total = total + loss"},
  {"self.n //= 2", "self.n = self.n // 2"},
  {"x[1] **= 2", "x[1] = x[1] ^ 2"},
  {"i++", "i = i + 1"},
  {'if mode != "a" then end', "a ~= b"},
  {"x = a and !b", "not a"},
  {"x = a && b", "a and b"},
  {"x = a || b", "a or b"},
  {"import torch", "tide needs no import"},
  {"import torch.nn.functional as F", "local F = tide.nn.functional"},
  {"import json", 'local json = require "json"'},
  {"from torch import nn", "local nn = tide.nn"},
  {"from torch.utils.data import DataLoader", "local DataLoader = tide.data.DataLoader"},
  {"def f(x, y):\n  return x", "function f(x, y) ... end"},
  {"def f(x: int) -> int:\n  return x", "function f(...) ... end"},
  {"async def f(): pass", "function f() ... end"},
  {"f = lambda x: x + 1", "function(x) return ... end"},
  {"class Net(nn.Module):\n  pass", 'local Net = tide.class("Net", nn.Module)'},
  {"print(1) # shows it", "-- begins a comment"},
  {"return x # the result", "-- begins a comment"},
  {"if a then f() elif b then g() end", "elseif condition then"},
  {"if x == 1:\n  f()\n", "if condition then ... end"},
  {"if x:\n  f(x)\n  g(x)\n", "if condition then ... end"},
  {"if x then f()\nelse:\n  g()\nend", "else, without ':'"},
  {"if x = 1 then f() end", "a == b"},
  {"for i in range(3):\n  print(i)\n", "for i = 1, 3 do ... end"},
  {"for i in range(1, n):\n  print(i)\n", "for i = first, last, step do ... end"},
  {"for x in loader:\n  -- a comment\n\n  f(x)\n", "for i, x in ipairs(list) do ... end"},
  {"while True:\n  f()\n", "while condition do ... end"},
  {"try:\n  x = f()\nexcept:\n  pass\n", "local ok, message = pcall(function() ... end)"},
  {"with torch.no_grad():\n  f()\n", "local _ <close> = tide.no_grad(), in a block: do ... end"},
  {"with torch.no_grad(): f()", "local _ <close> = tide.no_grad(), in a block: do ... end"},
  {"for i, (x, y) in enumerate(loader) do end", "for i, x, y in loader:enumerate() do"},
  {"raise ValueError('x')", 'error("message")'},
  {"assert x == 1", "assert(condition, message)"},
  {"del x.y", "x.y = nil"},
  {"print x", "print(x)"},
  {"global x", "names without `local` are global"},
  {"if a then\n  pass\nend", "an empty block needs no statement"},
  {"for i = 1, 3 do if i == 2 then continue end end", "goto continue, and at the end of the loop ::continue::"},
  {"x = 1 if a else 2", "c and a or b"},
  {"if x is None then end", "a == nil"},
  {"if x is y then end", "a == b"},
  {"y = x is None", "a == nil"},
  {"if x in y then end", "t[key] ~= nil"},
  {"x = [1, 2, 3]", "{1, 2, 3}"},
  {"x = [i for i in y]", "for i = 1, n do list[i] = x end"},
  {"x = tide.tensor({[1, 2], [3, 4]})", "{{1, 2}, {3, 4}}"},
  {"x = {1, 2}[1]", "({1, 2})[1]"},
  {'x = {"a": 1}', "{key = value}"},
  {"x, y = (1, 2)", "x, y = 1, 2"},
  {"x = tide.zeros((2, 3))", "{1, 2}"},
  {"x = tide.randint(0, 10, (3,))", "{1, 2}"},
  {"f(*args)", "f(table.unpack(list))"},
  {"f(**options)", "f(options), with a table of named arguments"},
  {'"""What it does."""', "--[[ text ]]"},
  {"x: int = 3", "local x = 1, without a type"},
  {"print(x:size)", "x:size()"},
  {"x = 10_000", "numbers have no '_'"},
  {"net:eval", "x:eval()"},
  {"y = x:relu\nprint(y)", "x:relu()"},
  {"y = x:T", "x.T"},
  {"x = y > 0 ? 1 : 2", "c and a or b"},
  {"net.eval\nx = 1", "net:eval(), or print(net.eval)"},
}

--- Lua errors that are not Python syntax.
local kOthers <const> = {
  "x = = 1", "x = a and", "f(", "if x then", "local x = 'abc\n", "x = 3 = 4", "return 1 print(2)", "end",
  "x = t[f:size(1)] y", "x = t[a.b:c'x'] 1", "local t = {a = 1 b = 2}", "for i = 1 3 do end",
  'x = "a != b" y z', "x = 1 -- a += 1, not [1, 2]\ny z", "goto continue ::x:: 1", "x = (1 = 2)",
  "if (x = 1) then end", "print('#') )", "for k, v in pairs(t) print(k) end", "x = [[1:2]] y",
  "local t = {\n  net.eval\n  x = 1}", "if a then\nend\nend", "f(a b)", "x = #t #u",
}

describe("mistakes in syntax", function()
  for _, mistake in ipairs(kMistakes) do
    it(("get hints: %s"):format(mistake[1]:gsub("\n", " / ")), function() equal(advice(mistake[1]), mistake[2]) end)
  end
  for _, text in ipairs(kOthers) do
    it(("get no hint for other errors: %s"):format(text:gsub("\n", " / ")), function()
      equal(advice(text), nil)
    end)
  end
end)

describe("the message of load", function()
  it("is Lua's own", function()
    local _, message = load("x ** 2", "=text")
    equal(message, "text:1: syntax error near '*'")
  end)
end)
