-- Damaged and inconsistent ONNX files: an error that names the file, or a model that runs or raises
-- one; never a crash, a hang, or an internal Lua error.
local native = require "tide.native"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")
local nodes = here .. "/../../onnx/nodes/"

-- The numbers of mutations; tens of thousands were tested manually.
local kBytes <const>, kFields <const> = 400, 400

local kFiles <const> = {
  "lstm_with_peepholes", "gru_batchwise", "if", "scan9_sum", "basic_conv_with_padding",
  "convtranspose_pads", "qlinearconv", "resize_upsample_sizes_cubic", "roialign_aligned_true",
  "einsum_transpose", "maxpool_with_argmax_2d_precomputed_pads", "softmax_axis_0",
  "layer_normalization_2d_axis0", "scatternd_add", "gathernd_example_int32_batch_dim1",
  "reversesequence_batch", "onehot_with_negative_axis", "cumsum_1d_reverse_exclusive",
  "top_k_smallest", "constantofshape_int_zeros", "edge_pad", "pow_types_float32_int64",
}

local kIntegers <const> = {
  0, -1, 1, 2, 3, -2, 7, 1 << 20, 1 << 31, 1 << 40, math.maxinteger, math.mininteger,
}
local kNumbers <const> = {0.0, -1.0, 1e30, 0 / 0, math.huge, 0.5}
local kTexts <const> = {"", "x", "y", "NOTSET", "given_1"}

local function text_of(name)
  local file <close> = io.open(nodes .. name .. ".onnx", "rb")
  return file:read "a"
end

local function damaged(text)
  local at, kind = math.random(#text), math.random(4)
  if kind == 1 then return text:sub(1, at) end
  if kind == 2 then return text:sub(1, at) .. text:sub(math.random(#text)) end
  local put = kind == 3 and string.char(math.random(0, 255)) or ("\255"):rep(math.random(9))
  return text:sub(1, at - 1) .. put .. text:sub(at + 1)
end

--- Changes one field somewhere in a message.
local function change(message)
  local keys = {}
  for key in pairs(message) do keys[#keys + 1] = key end
  if #keys == 0 then return end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local key = keys[math.random(#keys)]
  local value = message[key]
  if type(value) == "table" then
    change(value)
  elseif math.type(value) == "integer" then
    message[key] = kIntegers[math.random(#kIntegers)]
  elseif type(value) == "number" then
    message[key] = kNumbers[math.random(#kNumbers)]
  elseif key == "raw_data" then
    message[key] = #value >= 8 and ("<i8"):pack(kIntegers[math.random(#kIntegers)]) .. value:sub(9)
      or value:sub(2)
  else
    message[key] = kTexts[math.random(#kTexts)]
  end
end

local function inputs_of(message)
  local list = {}
  for _, tensor in ipairs(message.graph.initializer) do
    local place = tensor.name:match "^given_(%d)$"
    if place then list[tonumber(place)] = tensors.read(tensor, "") end
  end
  return list
end

describe("damaged files of ONNX", function()
  local folder = own_folder()
  test.before_each(function() math.randomseed(11) end)

  --- Loads the file and runs it; returns whether it ran. Errors must come from the library.
  local function try(path, inputs)
    local ok, problem = pcall(function()
      local model = tide.onnx.load(path)
      local _ <close> = tide.no_grad()
      for _, value in ipairs {model(table.unpack(inputs))} do
        if tide.is_tensor(value) then value:flatten():tolist() end
      end
    end)
    if ok then return true end
    local named = problem:find(path, 1, true) or problem:find "queued at"
    if not named then error("an error that does not name the file: " .. problem, 0) end
    return false
  end

  it("are rejected or run when bytes are changed", function()
    local ran, path = 0, folder() .. "/damaged.onnx"
    for i = 1, kBytes do
      local name = kFiles[i % #kFiles + 1]
      local file <close> = io.open(path, "wb")
      file:write(damaged(text_of(name)))
      file:close()
      local message = native.read_onnx(nodes .. name .. ".onnx", "ModelProto")
      if try(path, inputs_of(message)) then ran = ran + 1 end
    end
    test.is_true(ran > 0 and ran < kBytes)
  end)

  it("are rejected or run when fields are changed", function()
    local ran, path = 0, folder() .. "/changed.onnx"
    for i = 1, kFields do
      local message =
        native.read_onnx(nodes .. kFiles[i % #kFiles + 1] .. ".onnx", "ModelProto")
      local inputs = inputs_of(message)
      change(message.graph)
      native.write_onnx(path, "ModelProto", message, "save")
      if try(path, inputs) then ran = ran + 1 end
    end
    test.is_true(ran > 0 and ran < kFields)
  end)

  it("are rejected when messages are nested too deeply", function()
    local graph = {name = "g", node = {}}
    for _ = 1, 200 do
      local branch = {name = "then_branch", type = 5, g = graph}
      graph = {name = "g", node = {{op_type = "If", attribute = {branch}}}}
    end
    local path = folder() .. "/deep.onnx"
    native.write_onnx(path, "ModelProto", {graph = graph}, "save")
    test.raises("deep.onnx: is damaged, or not an ONNX file", tide.onnx.load, path)
  end)

  it("are rejected when they are empty, text, or missing", function()
    local path = folder() .. "/text.onnx"
    for _, text in ipairs {"", "no model at all"} do
      local file <close> = io.open(path, "wb")
      file:write(text)
      file:close()
      test.raises("text.onnx: ", tide.onnx.load, path)
    end
    test.raises("none.onnx", tide.onnx.load, folder() .. "/none.onnx")
  end)
end)
