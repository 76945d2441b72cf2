-- The ops of each domain by name, from the families in ops/, ml/ and microsoft/.
local operators = {}

--- By domain: the folder of its families, and their names.
local kDomains <const> = {
  [""] = {
    "ops", "activations", "attention", "control", "convolutions", "detection", "elementwise", "indexing", "losses",
    "matrices", "normalizations", "pools", "quantization", "random", "recurrent", "reductions",
    "resizing", "sequences", "shapes", "signal", "types",
  },
  ["com.microsoft"] = {"microsoft", "attention", "fused", "normalizations", "quantization"},
  ["ai.onnx.ml"] = {"ml", "categories", "features", "linear", "support_vectors", "trees"},
}

local none = {}
local loaded = {}

--- The attributes of a family's op: {names, only}, a list, and the required values of some.
local function attributes_of(family, name)
  local names, only = {}, {}
  for attribute, value in ((family.attributes or none)[name] or ""):gmatch "([%w_]+)=?(%S*)" do
    names[#names + 1] = attribute
    names[attribute] = true
    only[attribute] = value ~= "" and (tonumber(value) or value) or nil
  end
  return {names = names, only = only}
end

--- A family is a table of functions by op name: op(node, inputs...) -> outputs. Those in `with_run` are
--- called as op(run, node, inputs...). `attributes` has the names of supported attributes: {Gemm =
--- "alpha beta transA transB"}; "spatial=1" supports only this value. `host` lists the inputs whose
--- values an op reads: {Reshape = {2}}; `state` those that are not trained if they are initializers;
--- `text` the ops that accept lists of text: {Identity = true}.
local function add_family(known, family)
  local function set_of(list)
    local set = {}
    for _, i in ipairs(list or none) do set[i] = true end
    return set
  end
  local function add(name, call, takes_run)
    known[name] = {
      call = call, takes_run = takes_run, host = set_of((family.host or none)[name]),
      state = set_of((family.state or none)[name]), attributes = attributes_of(family, name),
      takes_text = family.text ~= nil and family.text[name] == true,
    }
  end
  for name, value in pairs(family) do
    if type(value) == "function" then add(name, value, false) end
  end
  for name, value in pairs(family.with_run or none) do add(name, value, true) end
end

--- Whether this domain is supported.
function operators.has_domain(domain) return kDomains[domain] ~= nil end

--- The description of an op: {call, takes_run, host, state, attributes, takes_text}; nil if it is not supported.
function operators.find(domain, name)
  local known = loaded[domain]
  if not known then
    known = {}
    for i = 2, #kDomains[domain] do
      add_family(known, require(("tide.onnx.%s.%s"):format(kDomains[domain][1], kDomains[domain][i])))
    end
    loaded[domain] = known
  end
  return known[name]
end

return operators
