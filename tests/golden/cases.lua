-- Runs the golden cases of single ops: calls in the script API with the values and gradients
-- expected.
local tide = require "tide"
local compare = require "tide.test.compare"

local cases = {}

--- The folder of the cases: TIDE_GOLDEN, else shared/golden beside the repository; an error if they
--- are not there.
function cases.folder()
  local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  local folder = os.getenv "TIDE_GOLDEN" or here .. "/../../../shared/golden"
  local file = io.open(folder .. "/ops.lua")
  if not file then
    error(("there are no golden cases in %s: TIDE_GOLDEN names their folder"):format(folder), 0)
  end
  file:close()
  return folder
end

local function has(value, name)
  local ok, field = pcall(function() return value[name] end)
  return ok and field ~= nil
end

--- The first name in `call`, a chunk in the script API, that tide's tables lack, if there is one:
--- a path from `tide` or `F`, or a method that no tensor has.
function cases.lacking(call)
  for path in call:gmatch "%f[%w_.](tide%.[%w_.]+)" do
    local value = tide
    for name in path:gmatch "%.([%a_][%w_]*)" do
      if not has(value, name) then return path end
      value = value[name]
      if type(value) ~= "table" then break end
    end
  end
  for name in call:gmatch "%f[%w_.]F%.([%a_][%w_]*)" do
    if not has(tide.nn.functional, name) then return "F." .. name end
  end
  local tensor = tide.zeros {1}
  for name in call:gmatch ":([%a_][%w_]*)%s*[%({\"']" do
    if not has(tensor, name) then return ":" .. name end
  end
end

--- Makes the case's inputs on `device`: fresh copies, for the call may change them.
local function make_inputs(case, number, tensors, device)
  local inputs, wanted = {}, {}
  for _, name in ipairs(case.grads or {}) do wanted[name] = true end
  for i, name in ipairs(case.inputs) do
    local stored = tensors[("%d.%s"):format(number, name)]
    inputs[i] = stored:clone():to(device)
    if wanted[name] then inputs[i]:requires_grad_() end
  end
  return inputs
end

local function load_call(case)
  local names = table.concat({"tide", "F", table.unpack(case.inputs)}, ", ")
  return assert(load(("local %s = ...; %s"):format(names, case.call), "=case"))
end

local function read(value)
  if tide.is_tensor(value) then return value:tolist() end
end

--- Runs a case that must raise; what depends on values may fail as late as when it is read.
local function check_raises(call, call_text, inputs)
  local ok, message = pcall(function()
    local results = table.pack(call(tide, tide.nn.functional, table.unpack(inputs)))
    for i = 1, results.n do read(results[i]) end
    for _, input in ipairs(inputs) do read(input) end
  end)
  if ok then return "no error was raised" end
  local name = cases.lacking(call_text)
  if name then error(name .. " is not there: " .. tostring(message), 0) end
end

local function check_values(results, values)
  if results.n ~= #values then return ("%d values, expected %d"):format(results.n, #values) end
  for i, expected in ipairs(values) do
    local difference = compare.same_type(results[i], expected)
    if difference then return ("value %d: %s"):format(i, difference) end
  end
end

local function check_outputs(results, case, number, tensors)
  if results.n ~= #case.outputs then
    return ("%d results, expected %d"):format(results.n, #case.outputs)
  end
  for i, name in ipairs(case.outputs) do
    local expected = tensors[("%d.%s"):format(number, name)]
    if not tide.is_tensor(results[i]) then
      return ("result %d is %s, expected a tensor"):format(i, tostring(results[i]))
    end
    local difference = compare.close(results[i], expected, case.rtol, case.atol, true)
    if difference then return ("result %d: %s"):format(i, difference) end
  end
end

local function check_grads(results, case, inputs, number, tensors, device)
  local total
  for i, name in ipairs(case.outputs) do
    local cotangent = tensors[("%d.g%s"):format(number, name)]
    if cotangent then
      local part = (results[i] * cotangent:to(device)):sum()
      total = total and total + part or part
    end
  end
  total:backward()
  local place = {}
  for i, name in ipairs(case.inputs) do place[name] = i end
  for _, name in ipairs(case.grads) do
    local expected = tensors[("%d.grad.%s"):format(number, name)]
    local grad = inputs[place[name]].grad
    if not grad then return ("%s has no gradient"):format(name) end
    local difference = compare.close(grad, expected, case.grad_rtol, case.grad_atol, true)
    if difference then return ("gradient of %s: %s"):format(name, difference) end
  end
end

local function check(case, number, tensors, device)
  local inputs, call = make_inputs(case, number, tensors, device), load_call(case)
  if case.raises then return check_raises(call, case.call, inputs) end
  local results = table.pack(call(tide, tide.nn.functional, table.unpack(inputs)))
  if case.values then return check_values(results, case.values) end
  return check_outputs(results, case, number, tensors)
    or (case.grads and check_grads(results, case, inputs, number, tensors, device))
end

--- Runs case `number` of a group: "passed", "failed" with what differs, or "missing" with the
--- error, if it calls a name that tide lacks.
function cases.run(case, number, tensors, device)
  local ok, difference = pcall(check, case, number, tensors, device)
  if ok then return difference and "failed" or "passed", difference end
  return cases.lacking(case.call) and "missing" or "failed", tostring(difference)
end

--- Runs all cases of one group; calls report(number, case, status, message) for each.
function cases.run_group(folder, group, device, report)
  local tensors = tide.load(folder .. "/" .. group.file)
  for number, case in ipairs(group.cases) do
    report(number, case, cases.run(case, number, tensors, device))
  end
end

return cases
