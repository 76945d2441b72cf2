-- The runner of the golden cases: what counts as passed, failed, and not there.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/support/program.lua")
local own_folder = dofile(here .. "/support/own_folder.lua")
local runner <const> = here .. "/../golden/runner.lua"

-- Case 2 is wrong by one unit of float16, case 5 fails inside of what it calls.
local cases <const> = [[
return {{op = "add", file = "add.safetensors", cases = {
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1e-3, atol = 0},
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1e-4, atol = 0},
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return tide.no_such_name(x1)", inputs = {"x1"}, raises = true},
  {call = "local fn return fn(x1 + 1)", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return x1:no_such_method()", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return x1 + 1", inputs = {"x1"}, raises = true},
}}}
]]

describe("the runner of golden cases", function()
  local folder = own_folder()

  --- What the runner says to `words`, and whether it succeeded.
  local function outcome(words)
    local file = assert(io.open(folder() .. "/ops.lua", "w"))
    file:write(cases)
    file:close()
    local x = tide.tensor({1, 2}, {dtype = "float16"})
    local tensors = {}
    for i = 1, 7 do
      tensors[i .. ".x1"], tensors[i .. ".out1"] = x:clone(), x + 1
    end
    tensors["2.out1"] = tide.tensor({2, 3.001953125}, {dtype = "float16"})
    tensors["3.out1"] = (x + 1):float()
    tide.save(tensors, folder() .. "/add.safetensors")
    return run(("'%s' %s"):format(runner, words), ("TIDE_GOLDEN='%s'"):format(folder()))
  end

  it("compares values and types, and calls missing only what tide lacks", function()
    local output, succeeded = outcome "add"
    test.is_false(succeeded)
    for _, line in ipairs {"FAILED add: 2", "result 1: element 2 is 3, expected 3.00195312",
      "FAILED add: 3", "result 1: type float16, expected float32", "MISSING add: 4",
      "FAILED add: 5", "attempt to call a nil value", "MISSING add: 6", "FAILED add: 7",
      "no error was raised"} do
      test.is_true(output:find(line, 1, true), line .. " is not in: " .. output)
    end
    test.is_true(output:find "all +1 passed +4 failed +2 not there yet\n$", output)
  end)
  it("fails without its folder, for unknown groups and unknown options", function()
    for words, message in pairs {
      sub = "there is no group 'sub'", ["--all"] = "there is no option '--all'",
    } do
      local output, succeeded = outcome(words)
      test.equal({succeeded, output:find(message, 1, true) ~= nil}, {false, true})
    end
    local output, succeeded = run(("'%s' add"):format(runner), "TIDE_GOLDEN=/nowhere")
    test.equal({succeeded, output:find("there are no golden cases in /nowhere", 1, true) ~= nil},
      {false, true})
  end)
end)
