-- tide.onnx.load: loads an ONNX model as a module.
local reader = require "tide.internal.declare.reader"
local graph = require "tide.onnx.graph"
local Model = require "tide.onnx.model"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The oldest and the newest supported version, by domain.
local kVersions <const> = {[""] = {7, 23}, ["ai.onnx.ml"] = {1, 5}}

--- Loads an ONNX model (opset 7 to 23, ai.onnx.ml, com.microsoft) as a module with its weights as parameters, in
--- evaluation mode.
---@param path string  name of the file
---@param device device = nil  device of the parameters; nil is cpu
---@param dtype dtype = nil  dtype of the parameters; nil is the file's
---@example
--- local path = os.tmpname()
--- tide.onnx.save(nn.Linear(3, 2), tide.ones(1, 3), path)
--- local model = tide.onnx.load(path)
--- os.remove(path)
--- model(tide.ones(5, 3)).shape --> {5, 2}
local read_arguments = reader "onnx.load"

--- The versions of the domains that a model uses.
local function versions_of(message, path)
  local versions = {}
  for _, opset in ipairs(message.opset_import or {}) do
    local domain = opset.domain or ""
    versions[domain == "ai.onnx" and "" or domain] = opset.version or 1
  end
  for domain, range in pairs(kVersions) do
    local version = versions[domain]
    if version and (version < range[1] or version > range[2]) then
      raise("onnx.load: %s: %sopset %d is not supported: expected %d to %d", path,
        domain == "" and "" or domain .. ": ", version, range[1], range[2])
    end
  end
  versions[""] = versions[""] or 1
  return versions
end

local function functions_of(message)
  local functions = {}
  for _, declared in ipairs(message.functions or {}) do
    functions[(declared.domain or "") .. ":" .. (declared.name or "")] = declared
  end
  return functions
end

--- The graph of a file, ready to run.
local function read_model(path)
  local message = native.read_onnx(path, "ModelProto")
  if not message.graph then raise("onnx.load: %s: the model has no graph", path) end
  local model = {
    folder = path:match "^(.*/)" or "", versions = versions_of(message, path),
    functions = functions_of(message), inside = {}, problems = {}, count = {0},
  }
  local ok, made = pcall(graph.compile, message.graph, model, {}, true)
  if not ok then raise("onnx.load: %s: %s", path, (tostring(made):gsub("^.-:%d+: ", ""))) end
  if #model.problems > 0 then
    raise("onnx.load: %s: %s", path, table.concat(model.problems, "; "))
  end
  return made
end

--- load(path, {device, dtype}): a trainable module that computes the graph of the file. It takes the
--- graph's inputs in order, and returns its outputs. Floating-point initializers are parameters under
--- their names; running statistics are buffers. The module starts in evaluation mode, because files
--- contain models for inference.
local function load(...)
  local given = read_arguments(...)
  local module = Model(read_model(given.path), given.path)
  if given.device or given.dtype then
    module:to {device = given.device or tide.get_default_device(), dtype = given.dtype}
  end
  return module:eval()
end

return load
