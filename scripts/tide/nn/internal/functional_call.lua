-- func.functional_call: a module as a function of its parameters.
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local fields = require "tide.nn.internal.module_fields"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- module(args...) with other parameters and buffers, by names as in state_dict.
---@param module table  the module
---@param parameters_and_buffers table  tensors by name, as in state_dict
---@param args any = {}  arguments of the module: a list, or one value
---@param options table = nil  named options, passed after the arguments
---@param strict boolean = false  require all parameters and buffers
---@example
--- local layer = nn.Linear(2, 1, {bias = false})
--- tide.func.functional_call(layer, {weight = tide.ones(1, 2)}, tide.ones(2)) --> {2.0}
local read_call = reader "func.functional_call"

--- The fields by their names in state_dict: name -> {module, field}.
local function fields_by_name(module)
  local found = {}
  for prefix, below in module:named_modules() do
    local start = prefix == "" and "" or prefix .. "."
    for _, kind in ipairs {"parameter", "buffer"} do
      for field in fields.each(below, kind) do
        found[start .. fields.file_name(below, field)] = {below, field}
      end
    end
  end
  return found
end

--- Replaces the tensors in the fields; returns the previous ones.
local function put(places, tensors)
  local before = {}
  for name, tensor in pairs(tensors) do
    local module, field = table.unpack(places[name])
    before[name] = rawget(module, field)
    rawset(module, field, tensor)
  end
  return before
end

--- Merges a list of tables of tensors; later ones take precedence. A single table is returned as it is.
local function merged(tables)
  if #tables == 0 then return tables end
  local all = {}
  for i, tensors in ipairs(tables) do
    of_type("functional_call", ("parameters[%d]"):format(i), tensors, "table")
    for name, tensor in pairs(tensors) do all[name] = tensor end
  end
  return all
end

--- The module's own tensors are used for names that are not given; they are not changed.
return function(...)
  local given = read_call(...)
  local module, args = given.module, given.args
  if not class.is_a(module, Module) then raise("functional_call: module: expected a module") end
  if type(args) ~= "table" or getmetatable(args) then args = {args} end
  local tensors = merged(given.parameters_and_buffers)
  local places = fields_by_name(module)
  for name, tensor in pairs(tensors) do
    if not places[name] then
      raise("functional_call: there is no parameter or buffer '%s' in the module", tostring(name))
    end
    if not tide.is_tensor(tensor) then
      raise("functional_call: %s: expected a tensor, got %s", name, kind_of(tensor))
    end
  end
  if given.strict then
    for name in pairs(places) do
      if not tensors[name] then raise("functional_call: '%s' is missing", name) end
    end
  end
  -- A tensor shared by several names is replaced under all of them if one is given.
  local other = {}
  for name, tensor in pairs(tensors) do
    local owner, field = table.unpack(places[name])
    other[rawget(owner, field)] = tensor
  end
  local replaced = {}
  for name, entry in pairs(places) do
    replaced[name] = tensors[name] or other[rawget(entry[1], entry[2])]
  end
  local before = put(places, replaced)
  local _ <close> = setmetatable({}, {__close = function() put(places, before) end})
  local values = table.pack(table.unpack(args, 1, args.n))
  if given.options ~= nil then values[values.n + 1], values.n = given.options, values.n + 1 end
  return module(table.unpack(values, 1, values.n))
end
