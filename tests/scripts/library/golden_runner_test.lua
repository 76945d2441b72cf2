-- The runner of the golden cases: which cases count as passed, failed, and missing.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local runner <const> = here .. "/../../golden/runner.lua"

-- Case 2 of add is wrong by one unit of float16, case 5 fails inside the called function. In mul each
-- wrong case has a correct counterpart before it.
local cases <const> = [[
return {{op = "add", file = "add.safetensors", cases = {
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1e-3, atol = 0},
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1e-4, atol = 0},
  {call = "return x1 + 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return tide.no_such_name(x1)", inputs = {"x1"}, raises = true},
  {call = "local fn return fn(x1 + 1)", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return x1:no_such_method()", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
  {call = "return x1 + 1", inputs = {"x1"}, raises = true},
}}, {op = "mul", file = "mul.safetensors", cases = {
  {call = "return x1 * 1", inputs = {"x1"}, outputs = {"out1"}, grads = {"x1"},
   rtol = 0, atol = 0, grad_rtol = 0, grad_atol = 0},
  {call = "return x1 * 2 - x1:detach()", inputs = {"x1"}, outputs = {"out1"}, grads = {"x1"},
   rtol = 0, atol = 0, grad_rtol = 0, grad_atol = 0},
  {call = "return x1:detach() + tide.zeros(2, {requires_grad = true})", inputs = {"x1"},
   outputs = {"out1"}, grads = {"x1"}, rtol = 0, atol = 0, grad_rtol = 0, grad_atol = 0},
  {call = "return #x1, x1:dim()", inputs = {"x1"}, values = {2, 1}},
  {call = "return #x1, x1:dim()", inputs = {"x1"}, values = {2, 1.0}},
  {call = "return #x1", inputs = {"x1"}, values = {2, 1}},
}}, {op = "sub", file = "mul.safetensors", cases = {
  {call = "return x1 * 1", inputs = {"x1"}, outputs = {"out1"}, rtol = 0, atol = 0},
  {call = "return F.no_such_name(x1)", inputs = {"x1"}, outputs = {"out1"}, rtol = 1, atol = 1},
}}, {op = "none", file = "mul.safetensors", cases = {}}}
]]

-- The description of int64 is wrong.
local promotion <const> = [[
return {types = {"float32", "int64"}, tensor = {
  sum = {float32 = "float32", int64 = "error"},
  sqrt = {float32 = "float32", int64 = "int64"},
  bitwise_not = {float32 = "error", int64 = "error"},
  no_such_name = {float32 = "float32", int64 = "error"},
}}
]]

describe("the runner of golden cases", function()
  local folder = own_folder()

  --- The output of the runner for `words`, and whether it succeeded.
  local function outcome(words)
    for name, text in pairs {ops = cases, promotion = promotion} do
      local file = assert(io.open(("%s/%s.lua"):format(folder(), name), "w"))
      file:write(text)
      file:close()
    end
    local x = tide.tensor({1, 2}, {dtype = "float16"})
    local tensors = {}
    for i = 1, 7 do
      tensors[i .. ".x1"], tensors[i .. ".out1"] = x:clone(), x + 1
    end
    tensors["2.out1"] = tide.tensor({2, 3.001953125}, {dtype = "float16"})
    tensors["3.out1"] = (x + 1):float()
    tide.save(tensors, folder() .. "/add.safetensors")
    local y, multiples = tide.tensor {1.5, -2.0}, {}
    for i = 1, 6 do
      multiples[i .. ".x1"], multiples[i .. ".out1"] = y:clone(), y:clone()
      multiples[i .. ".gout1"], multiples[i .. ".grad.x1"] = tide.ones(2), tide.ones(2)
    end
    tide.save(multiples, folder() .. "/mul.safetensors")
    return run(("'%s' %s"):format(runner, words), ("TIDE_GOLDEN='%s'"):format(folder()))
  end

  --- Asserts that the output contains each of these texts.
  local function says(output, texts)
    for _, text in ipairs(texts) do
      test.is_true(output:find(text, 1, true), text .. " is not in: " .. output)
    end
  end

  it("compares values and types, and counts as missing only what tide lacks", function()
    local output, succeeded = outcome "add"
    test.is_false(succeeded)
    says(output, {"FAILED add: 2", "result 1: element 2 is 3, expected 3.00195312",
      "FAILED add: 3", "result 1: type float16, expected float32", "MISSING add: 4",
      "FAILED add: 5", "attempt to call a nil value", "MISSING add: 6", "FAILED add: 7",
      "no error was raised"})
    test.is_true(output:find "all +1 passed +4 failed +2 not there yet\n$", output)
  end)
  it("compares gradients, and Lua values also by kind", function()
    local output, succeeded = outcome "mul"
    test.is_false(succeeded)
    says(output, {"FAILED mul: 2", "gradient of x1: element 1 is 2, expected 1",
      "FAILED mul: 3", "x1 has no gradient", "FAILED mul: 5",
      "value 2: 1 (integer), expected 1 (float)", "FAILED mul: 6", "1 values, expected 2"})
    test.is_true(output:find "all +2 passed +4 failed +0 not there yet\n$", output)
  end)
  it("fails if a name does not exist, or no case ran", function()
    local output, succeeded = outcome "sub"
    says(output, {"MISSING sub: 2"})
    test.is_true(output:find "all +1 passed +0 failed +1 not there yet\n$", output)
    test.is_false(succeeded)
    output, succeeded = outcome "none"
    test.is_true(output:find "all +0 passed +0 failed +0 not there yet\n$", output)
    test.is_false(succeeded)
  end)
  it("compares result types with the tables of promotion", function()
    local output, succeeded = outcome "--promotion"
    says(output, {"FAILED promotion: tensor sum of int64\n    int64, expected error",
      "FAILED promotion: tensor bitwise_not of int64\n    int64, expected error",
      "FAILED promotion: tensor sqrt of int64\n    float32, expected int64",
      "MISSING promotion: tensor no_such_name of float32",
      "MISSING promotion: tensor no_such_name of int64"})
    test.is_true(output:find "all +3 passed +3 failed +2 not there yet\n$", output)
    test.is_false(succeeded)
  end)
  it("compares images with the results of files and functions", function()
    local image = tide.tensor({{{1, 2}}}, {dtype = "uint8"})
    tide.vision.write_png(image, folder() .. "/a.png")
    local i = tide.arange(3 * 37 * 53)
    local white = tide.full({3, 37, 53}, 255) - ((i * 7 + i * i // 11) % 256):reshape(3, 37, 53)
    tide.save({
      near = image + 3, far = image + 4, float = image:float(), ["transform.1"] = white:to("uint8"),
      ["transform.2"] = white / 255, ["transform.3"] = white:to("uint8"),
    }, folder() .. "/vision.safetensors")
    local file <close> = assert(io.open(folder() .. "/vision.lua", "w"))
    file:write [[return {file = "vision.safetensors", files = {
      {file = "a.png", mode = "gray", tensor = "near", most = 3},
      {file = "a.png", mode = "gray", tensor = "far", most = 3},
      {file = "a.png", mode = "rgb", tensor = "near", most = 3},
      {file = "a.png", mode = "gray", tensor = "float", most = 3},
      {file = "b.png", mode = "gray", tensor = "near", most = 3},
    }, transforms = {
      {call = "return T.invert(image)", most = 0},
      {call = "return T.invert(picture) + 0.5", most = 0.4},
      {call = "return T.no_such_name(image)", most = 0},
    }}]]
    file:close()
    local output, succeeded = outcome "--vision"
    test.is_false(succeeded)
    says(output, {"differs by 4, allowed are 3", "shape (3, 1, 2), expected (1, 1, 2)",
      "type uint8, expected float32", "b.png: cannot be read", "FAILED vision transforms: 2",
      "FAILED vision transforms: 3", "no_such_name: there is no such name"})
    test.is_true(output:find "vision files +1 passed +4 failed +0 not there yet\n", output)
    test.is_true(output:find "vision transforms +1 passed +2 failed +0 not there yet\n", output)
  end)
  it("fails without its folder, and for unknown groups and options", function()
    for words, message in pairs {
      div = "there is no group 'div'", ["--all"] = "there is no option '--all'",
    } do
      local output, succeeded = outcome(words)
      test.equal({succeeded, output:find(message, 1, true) ~= nil}, {false, true})
    end
    local output, succeeded = run(("'%s' add"):format(runner), "TIDE_GOLDEN=/nowhere")
    test.equal({succeeded, output:find("there are no golden cases in /nowhere", 1, true) ~= nil},
      {false, true})
  end)
end)
