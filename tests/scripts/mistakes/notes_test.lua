-- Notes on code that Lua accepts silently but that is a mistake.
local notes = require "tide.mistakes.notes"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")
local run = dofile(here .. "/../support/program.lua")

local variables = {x = tide.ones(3), n = 3}
local function value_of(name) return variables[name] end

local kAlwaysTrue <const> = "a tensor is always true: "

-- The text, and its note without the location.
local kNoted <const> = {
  {"if x:any() then f() end", kAlwaysTrue .. "x:any():item() is its value"},
  {"if x:gt(1):all() then f() end", kAlwaysTrue .. "...:all():item() is its value"},
  {"elseif self.mask:any() then", kAlwaysTrue .. "self.mask:any():item() is its value"},
  {"while x:any() do f() end", kAlwaysTrue .. "x:any():item() is its value"},
  {"assert(x:all())", kAlwaysTrue .. "x:all():item() is its value"},
  {"assert(x:eq(y):all(), 'differ')", kAlwaysTrue .. "...:all():item() is its value"},
  {"x.shape[1] = 5", "a shape is a copy: x = x:reshape(...) changes it"},
  {"x == 0", "== compares the tensor itself with a number, and is always false: x:eq(number) compares elements"},
  {"if x ~= 0.5 then", "~= compares the tensor itself with a number, and is always true: x:ne(number) compares elements"},
}

local kInOrder <const> = {
  "if x:any():item() then f() end", "if x:any(1):sum():item() > 2 then", "local any = x:any()", "return x:all()",
  "-- if x:any() then", 'print "if x:any() then"', "if x.shape[1] == 5 then", "local shape = x.shape", "n == 3",
  "if n ~= 3 then", "assert(x:all():item())", "if list:any(f) then", "y == 0",
}

describe("a note", function()
  for _, case in ipairs(kNoted) do
    it("is printed for " .. case[1], function()
      equal(notes("here", "f()\n" .. case[1], value_of), ("note: here:2: %s\n"):format(case[2]))
    end)
  end
  for _, text in ipairs(kInOrder) do
    it("is not printed for " .. text, function() equal(notes("here", text, value_of), "") end)
  end
  it("needs the values of variables for comparisons", function() equal(notes("here", "x == 0"), "") end)
end)

describe("a script from standard input", function()
  it("gets notes, too", function()
    equal((run("2>&1", "echo 'local x = tide.ones(3); x.shape[1] = 5' |")),
      "note: stdin:1: a shape is a copy: x = x:reshape(...) changes it\n")
  end)
end)

describe("a script in a pipe", function()
  local folder = own_folder()
  it("is read once", function()
    local pipe = folder() .. "/pipe"
    os.execute(("mkfifo '%s'; echo 'print(7)' > '%s' &"):format(pipe, pipe))
    equal((run(pipe)), "7\n")
  end)
end)
