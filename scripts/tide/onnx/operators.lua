-- The ops of ONNX's own domain by name, from the families in ops/.
local operators = {}

local kFamilies <const> = {
  "activations", "attention", "control", "convolutions", "detection", "elementwise", "indexing", "losses",
  "matrices", "normalizations", "pools", "quantization", "random", "recurrent", "reductions",
  "resizing", "sequences", "shapes", "signal", "types",
}

local none = {}
local known

--- A family is a table of functions by the ops' names: op(node, inputs...) -> outputs. Those below
--- `with_run` are called op(run, node, inputs...). `host` says of which inputs an op reads the
--- values: {Reshape = {2}}; `state` which of them, if they are initializers, are not trained.
local function add_family(family)
  local function set_of(list)
    local set = {}
    for _, i in ipairs(list or none) do set[i] = true end
    return set
  end
  local function add(name, call, takes_run)
    known[name] = {
      call = call, takes_run = takes_run, host = set_of((family.host or none)[name]),
      state = set_of((family.state or none)[name]),
    }
  end
  for name, value in pairs(family) do
    if type(value) == "function" then add(name, value, false) end
  end
  for name, value in pairs(family.with_run or none) do add(name, value, true) end
end

--- What is known of an op: {call, takes_run, host, state}; nil if there is no such op.
function operators.find(name)
  if not known then
    known = {}
    for _, family in ipairs(kFamilies) do add_family(require("tide.onnx.ops." .. family)) end
  end
  return known[name]
end

return operators
