-- Runs ONNX's own node tests: tide tests/onnx/node_tests.lua FOLDER [PATTERN]. FOLDER is
-- onnx/backend/test/data/node of a release of ONNX; only tests whose name contains PATTERN are run.
-- Prints what failed, what is not supported, and how many there are of each.
local native = require "tide.native"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"

local root, pattern = arg[1], arg[2] or ""

--- The value in a file of a test, read as what the graph declares for it.
local function value_of(path, declared)
  local kind = declared and next(declared) and (declared.tensor_type and "tensor"
    or declared.sequence_type and "sequence" or declared.optional_type and "optional") or "tensor"
  if kind == "tensor" then
    local stored = native.read_onnx(path, "TensorProto")
    -- The tests store the bits of bfloat16 as uint16.
    local type = declared and declared.tensor_type and declared.tensor_type.elem_type
    if type == 16 then stored.data_type = 16 end
    return tensors.read(stored, "")
  end
  local message
  if kind == "optional" then
    message = native.read_onnx(path, "OptionalProto")
    if message.tensor_value then return tensors.read(message.tensor_value, "") end
    message = message.sequence_value
    if not message then return nil end
  else
    message = native.read_onnx(path, "SequenceProto")
  end
  local list = {}
  for i, tensor in ipairs(message.tensor_values or {}) do list[i] = tensors.read(tensor, "") end
  return list
end

local function values_of(folder, prefix, declared)
  local list = {n = #declared}
  for i, entry in ipairs(declared) do
    local path = ("%s/%s_%d.pb"):format(folder, prefix, i - 1)
    local file = io.open(path)
    if file then
      file:close()
      list[i] = value_of(path, entry.type)
    end
  end
  return list
end

--- What differs between a result and what is expected; nil if nothing does.
local function difference(got, expected)
  if type(expected) == "table" then
    if type(got) ~= "table" or #got ~= #expected then return "a list of another length" end
    for i, value in ipairs(expected) do
      local found = difference(got[i], value)
      if found then return found end
    end
    return nil
  end
  if expected == nil then return nil end
  if not tide.is_tensor(got) then return "no tensor but " .. type(got) end
  local shape, wanted = table.concat(got.shape, ","), table.concat(expected.shape, ",")
  if shape ~= wanted then return ("shape (%s) instead of (%s)"):format(shape, wanted) end
  if got.dtype ~= expected.dtype then return got.dtype .. " instead of " .. expected.dtype end
  local a, b = got:to("float64"), expected:to("float64")
  if a:allclose(b, {rtol = 1e-3, atol = 1e-5, equal_nan = true}) then return nil end
  return ("values: %s instead of %s"):format(tostring(got):sub(1, 150),
    tostring(expected):sub(1, 150))
end

local function run_test(folder)
  local message = native.read_onnx(folder .. "/model.onnx", "ModelProto")
  local model = tide.onnx.load(folder .. "/model.onnx")
  local inputs = values_of(folder .. "/test_data_set_0", "input", message.graph.input or {})
  local expected = values_of(folder .. "/test_data_set_0", "output", message.graph.output)
  local results
  do
    local _ <close> = tide.no_grad()
    results = table.pack(model(table.unpack(inputs, 1, inputs.n)))
  end
  for i = 1, expected.n do
    local found = difference(results[i], expected[i])
    if found then error(("output %d: %s"):format(i, found), 0) end
  end
end

local names = {}
for name in io.popen('ls "' .. root .. '"'):lines() do
  if name:find(pattern, 1, true) then names[#names + 1] = name end
end

local counts = {passed = 0, failed = 0, unsupported = 0}
for _, name in ipairs(names) do
  local ok, problem = pcall(run_test, root .. "/" .. name)
  local outcome = ok and "passed"
    or tostring(problem):find("not supported", 1, true) and "unsupported" or "failed"
  counts[outcome] = counts[outcome] + 1
  if not ok then print(outcome, name, (tostring(problem):gsub("^.*model.onnx: ", ""))) end
end
print(("%d passed, %d failed, %d unsupported"):format(counts.passed, counts.failed,
  counts.unsupported))
