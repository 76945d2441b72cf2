-- The parameters of an entry of the reference: what a function takes, each with its type, its
-- default and what it means.
--
-- Names come from where a function says what it takes: from the row of an op, from what a function
-- of the library declares (internal/arguments.lua), or from the arguments that its entry writes
-- out. Defaults come from declarations. What they mean, their types, and defaults that no
-- declaration has, are in the vocabulary.
local declarations = require "tide.internal.declarations"
local vocabulary = require "tide.reference.vocabulary"
local value_of = require "tide.reference.value_of"

local parameters = {}

--- What entries write for arguments that the function declares.
local kDeclared <const> = "(...)"

-- Types by what the rows of ops say that they take.
local kTypeOfKind <const> = {
  tensor = "tensor", ["tensor or number"] = "tensor | number", number = "number",
  integer = "integer", boolean = "boolean", string = "string", dimension = "integer",
  ["dimension or table of dimensions"] = "integer | integer[]", position = "integer",
  ["integer or table of integers"] = "integer | integer[]",
  ["integers or table of integers"] = "integer | integer[]", ["type name"] = "dtype",
  device = "device", ["table of tensors"] = "tensor[]",
  ["table of two tables of dimensions"] = "integer[][]", ["table of integers"] = "integer[]",
  ["number or table of numbers"] = "number | number[]",
}

-- Types by what declarations say that they take.
local kTypeOfDeclared <const> = {
  count = "integer", tensor = "tensor", number = "number", string = "string", boolean = "boolean",
}

-- Objects whose methods an entry may name, and where their classes are, so that these are loaded.
local kClassOf <const> = {
  module = "tide.nn.Module", optimizer = "tide.optim.Optimizer", metric = "tide.metrics.Metric",
  trainer = "tide.Trainer", loader = "tide.data.DataLoader",
  manager = "tide.training.CheckpointManager",
  logger = "tide.loggers.TensorBoardLogger",
}

-- What creating ops take by name.
local kTensorOptions <const> = {"dtype", "device", "requires_grad"}

--- A default as Lua; nil for functions, which have no text.
local function default_text(value)
  if type(value) == "function" then return nil end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) == "table" and getmetatable(value) then return "nn." .. value.name end -- a layer
  if type(value) ~= "table" then
    local text = math.type(value) == "float" and ("%.6g"):format(value) or tostring(value)
    return math.type(value) == "float" and not text:find "[.e]" and text .. ".0" or text
  end
  local parts = {}
  for i, element in ipairs(value) do parts[i] = default_text(element) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

--- The parameters of a row: {name, type, optional, rest}.
local function of_row(row)
  local list = {}
  for _, parameter in ipairs(row) do
    if parameter.kind == "table of options" then
      for _, name in ipairs(kTensorOptions) do
        list[#list + 1] = {name = name, optional = true, named = true}
      end
    else
      list[#list + 1] = {
        name = parameter.name, type = kTypeOfKind[parameter.kind], optional = parameter.optional,
        rest = parameter.rest,
      }
    end
  end
  return list
end

--- The parameters that a function declares; `self` and private ones are nothing that a caller
--- gives.
local function of_declaration(declaration)
  local list = {}
  for _, parameter in ipairs(declaration.declared) do
    local optional = type(parameter) == "table"
    local name = optional and parameter[1] or parameter
    if name ~= "self" and name:sub(1, 1) ~= "_" then
      list[#list + 1] = {
        name = name, type = kTypeOfDeclared[declaration.kinds[name]], optional = optional,
        named = optional,
        default = optional and parameter[2] ~= nil and default_text(parameter[2]) or nil,
      }
    end
  end
  return list
end

--- The parameters in "(x, dim?, fn..., {keepdim, dtype})". "{options of metrics.F1}" are those that
--- tide.metrics.F1 declares.
local function of_text(text)
  local list, listed, depth, last = {}, {}, 0, ""
  local inside, other = text:match "^%((.*){options of ([%w.]+)}%)$"
  inside = inside or text:match "^%((.*)%)$" or ""
  for before, word, after in inside:gmatch "([{(]*)([%w_.]+)([^%w_.]*)" do
    depth = depth + select(2, before:gsub("{", ""))
    local name = word:match "[%a_][%w_]*" or word
    local repeats = name == "..." and last:find "}$" -- as in {name, module}...
    if listed[name] then
      listed[name].by_name = listed[name].by_name or depth > 0
    elseif not repeats then
      listed[name] = {
        name = name, named = depth > 0, optional = depth > 0 or after:find("?", 1, true) ~= nil,
        rest = word:find("...", 1, true) ~= nil,
      }
      list[#list + 1] = listed[name]
    end
    last = after
    depth = depth + select(2, after:gsub("{", "")) - select(2, after:gsub("}", ""))
  end
  if other then
    for _, parameter in ipairs(require "tide.reference.lookup".exact("tide." .. other)[1].parameters) do
      if parameter.named then list[#list + 1] = parameter end
    end
  end
  return list
end

--- What a function of this name declares; nil if it declares nothing.
local function declaration_of(entry)
  local receiver = entry.called_as:match "^(%l+):"
  value_of(kClassOf[receiver] or entry.called_as) -- reads the file that declares it
  local path = entry.called_as:match "^tide%.(.*)$"
  return declarations[path] or declarations[entry.name]
end

--- Adds defaults of the declaration to parameters that were written out.
local function with_defaults(list, declaration)
  local declared = {}
  for _, parameter in ipairs(of_declaration(declaration)) do
    declared[parameter.name] = parameter
  end
  for _, parameter in ipairs(list) do
    local other = declared[parameter.name]
    if other then parameter.default, parameter.type = other.default, other.type end
  end
  return list
end

local function names_of(entry)
  if entry.row then return of_row(entry.row) end
  if entry.arguments == kDeclared then
    return of_declaration(declaration_of(entry) or error(entry.called_as .. " declares nothing"))
  end
  local declaration = entry.arguments:find "%a" and declaration_of(entry)
  local list = of_text(entry.arguments)
  return declaration and with_defaults(list, declaration) or list
end

--- Adds what the vocabulary says of them.
local function explain(list, entry)
  for _, parameter in ipairs(list) do
    local known = vocabulary.of(entry, parameter.name)
    if known then
      local choices = known.type and known.type:find('"', 1, true)
      if choices or not parameter.type then parameter.type = known.type or parameter.type end
      parameter.default = parameter.default or parameter.optional and known.default or nil
      parameter.about = known.about
    end
  end
  return list
end

--- The parameters of an entry, in order: {name, type, about, default (as text, nil if there is
--- none), optional, rest (takes all that follows), named (by name in a table only), by_name (in its
--- place or by name, as in "(device | {device})")}.
function parameters.of(entry)
  return explain(names_of(entry), entry)
end

--- What objects of a class are called with, as far as that is declared; else nil.
function parameters.of_call(entry)
  if entry.arguments ~= kDeclared or not declaration_of(entry) then return nil end
  local declaration = declarations[entry.name .. ":forward"]
  return declaration and explain(of_declaration(declaration), entry)
end

--- "(in_features, out_features, {bias, device, dtype})".
function parameters.text(list)
  local parts, options = {}, {}
  for _, parameter in ipairs(list) do
    if parameter.named then
      options[#options + 1] = parameter.name
    else
      parts[#parts + 1] = parameter.name .. (parameter.rest and "..." or "")
        .. (parameter.optional and "?" or "")
    end
  end
  if options[1] then parts[#parts + 1] = "{" .. table.concat(options, ", ") .. "}" end
  return "(" .. table.concat(parts, ", ") .. ")"
end

return parameters
