-- Runs the golden cases of single ops: calls in the script API with the values and gradients
-- expected.
local tide = require "tide"
local compare = require "tide.test.compare"

local cases = {}

--- The folder of the cases: TIDE_GOLDEN, else shared/golden beside the repository. nil if there is
--- none.
function cases.folder()
  local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  for _, folder in ipairs {os.getenv "TIDE_GOLDEN" or "", here .. "/../../../shared/golden"} do
    local file = folder ~= "" and io.open(folder .. "/ops.lua")
    if file then
      file:close()
      return folder
    end
  end
end

--- Whether an error says that something the case calls does not exist in this version.
function cases.not_there(message)
  message = tostring(message)
  return message:find("attempt to call a nil value", 1, true) ~= nil
    or message:find("attempt to index a nil value (field", 1, true) ~= nil
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
local function check_raises(call, inputs)
  local ok, message = pcall(function()
    local results = table.pack(call(tide, tide.nn.functional, table.unpack(inputs)))
    for i = 1, results.n do read(results[i]) end
    for _, input in ipairs(inputs) do read(input) end
  end)
  if ok then return "no error was raised" end
  if cases.not_there(message) then error(message, 0) end
end

local function check_values(results, values)
  if results.n ~= #values then return ("%d values, expected %d"):format(results.n, #values) end
  for i, expected in ipairs(values) do
    local difference = compare.equal(results[i], expected)
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
  if case.raises then return check_raises(call, inputs) end
  local results = table.pack(call(tide, tide.nn.functional, table.unpack(inputs)))
  if case.values then return check_values(results, case.values) end
  return check_outputs(results, case, number, tensors)
    or (case.grads and check_grads(results, case, inputs, number, tensors, device))
end

--- Runs case `number` of a group: "passed", "failed" with what differs, or "missing" with the
--- error.
function cases.run(case, number, tensors, device)
  local ok, difference = pcall(check, case, number, tensors, device)
  if ok then return difference and "failed" or "passed", difference end
  return cases.not_there(difference) and "missing" or "failed", tostring(difference)
end

--- Runs all cases of one group; calls report(number, case, status, message) for each.
function cases.run_group(folder, group, device, report)
  local tensors = tide.load(folder .. "/" .. group.file)
  for number, case in ipairs(group.cases) do
    report(number, case, cases.run(case, number, tensors, device))
  end
end

return cases
