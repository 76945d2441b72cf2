-- The text of tables as the prompt shows it.
local tide = require "tide"
local test = require "tide.test"
local table_text = require "tide.internal.table_text"
local describe, it, equal = test.describe, test.it, test.same_type

describe("the text of a table", function()
  it("is valid Lua", function()
    equal(table_text {}, "{}")
    equal(table_text {3, 4.0, true, "a\n\"b\""}, [[{3, 4.0, true, "a\n\"b\""}]])
    equal(table_text {5, b = {1, 2}, a = {c = 0}}, "{5, a = {c = 0}, b = {1, 2}}")
    equal(table_text {[10] = 1, [2.5] = 2, ["not a name"] = 3, [true] = 4},
      [=[{[true] = 4, [2.5] = 2, [10] = 1, ["not a name"] = 3}]=])
  end)
  it("names tensors and functions without their values", function()
    equal(table_text {tide.ones(2, 3), f = print}, "{tensor (2, 3) float32 cpu, f = function}")
  end)
  it("is truncated for tables that are nested too deeply, contain themselves, or are long", function()
    equal(table_text {{{{1}}}}, "{{{{...}}}}")
    local round = {}
    round.self = round
    equal(table_text(round), "{self = {self = {self = {...}}}}")
    local long = {}
    for i = 1, 1000 do long[i] = 0 end
    long.name = ("x"):rep(1000)
    equal(select(2, table_text(long):gsub("0[,\n]", "")), 40)
    test.is_true(table_text(long):find("... 961 more", 1, true))
    equal(table_text {("x"):rep(1000)}, '{"' .. ("x"):rep(60) .. '..."}')
  end)
  it("fills lines with a list and gives other entries one line each", function()
    local list = {}
    for i = 1, 40 do list[i] = 100 + i end
    list.name, list.inner = "n", {1, 2}
    local lines = {}
    for line in table_text(list):gmatch "[^\n]+" do
      test.is_true(#line <= 92)
      lines[#lines + 1] = line
    end
    equal(#lines, 6)
    equal(lines[1], "{")
    equal(lines[2]:sub(1, 12), "  101, 102, ")
    equal(lines[5], "  ... 2 more")
    -- The part of a line used by the enclosing value.
    local digits = {}
    for i = 1, 40 do digits[i] = i % 10 end
    for _, nested in ipairs {digits, {digits}, {{digits}}} do
      for line in table_text(nested):gmatch "[^\n]+" do test.is_true(#line <= 92) end
    end
    list[40] = nil
    test.is_true(table_text(list):find("\n  inner = {1, 2},\n  ... 1 more\n}", 1, true))
  end)
  it("does not call metamethods", function()
    local strict = setmetatable({}, {__index = function() error "asked" end})
    test.is_true(table_text {strict}:find "^{table: ")
  end)
end)
