-- Annotations for editors (the format of the Lua language server), made from the reference.
local entries = require "tide.reference"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local annotations = {}

-- Types of arguments, by what the rows of ops say that they take.
local kTypeOfKind = {
  tensor = "tide.Tensor",
  ["tensor or number"] = "tide.Tensor|number|boolean",
  number = "number|boolean",
  integer = "integer",
  boolean = "boolean",
  string = "string",
  dimension = "integer",
  ["dimension or table of dimensions"] = "integer|integer[]",
  position = "integer",
  ["integer or table of integers"] = "integer|integer[]",
  ["integers or table of integers"] = "integer|integer[]",
  ["type name"] = "tide.dtype",
  device = "tide.Device|string",
  ["table of tensors"] = "tide.Tensor[]",
  ["table of two tables of dimensions"] = "integer[][]",
  ["table of integers"] = "integer[]",
  ["number or table of numbers"] = "number|number[]",
  ["table of options"] = "tide.TensorOptions",
}

-- Types of arguments, and of results, that only their names tell.
local kTypeOfName = {
  fn = "function", device = "tide.Device|string", dtype = "tide.dtype", path = "string",
  seed = "integer", x = "tide.Tensor", other = "tide.Tensor", tensor = "tide.Tensor",
}

-- What names in these places give.
local kClasses = {
  ["tide.nn."] = "tide.nn.Module", ["tide.optim."] = "tide.optim.Optimizer",
  ["tide.metrics."] = "tide.metrics.Metric", ["tide.loggers."] = "tide.loggers.Logger",
  ["tide.optim.lr_scheduler."] = "tide.optim.lr_scheduler.LRScheduler",
}
local kResultOf = {
  ["tide.nn.functional."] = "tide.Tensor", ["tide.nn.init."] = "tide.Tensor",
}

-- Receivers of methods, by how signatures write them: their classes, and the tables that hold them.
local kReceivers = {
  x = {class = "tide.Tensor", table = "Tensor"},
  module = {class = "tide.nn.Module", table = "Module"},
  optimizer = {class = "tide.optim.Optimizer", table = "Optimizer"},
  metric = {class = "tide.metrics.Metric", table = "Metric"},
  logger = {class = "tide.loggers.Logger", table = "Logger"},
  generator = {class = "tide.Generator", table = "Generator"},
  event = {class = "tide.Event", table = "Event"},
  stream = {class = "tide.Stream", table = "Stream"},
  loader = {class = "tide.data.DataLoader", table = "Loader"},
  sampler = {class = "tide.data.Sampler", table = "Sampler"},
  manager = {class = "tide.training.CheckpointManager", table = "Manager"},
  trainer = {class = "tide.Trainer", table = "Trainer"},
  profile = {class = "tide.Profile", table = "Profile"},
  explanation = {class = "tide.Explanation", table = "Explanation"},
  step = {class = "tide.ExplainedStep", table = "Step"},
  thread = {class = "tide.Thread", table = "Thread"},
  channel = {class = "tide.Channel", table = "Channel"},
}

local kKeywords = {
  ["and"] = true, ["end"] = true, ["for"] = true, ["function"] = true, ["if"] = true, ["in"] = true,
  ["not"] = true, ["or"] = true, ["repeat"] = true, ["return"] = true, ["until"] = true,
}

local kPreamble = [[
---@meta
-- What editors with the Lua language server know about tide. Made by `tide manual --luals`.

---@alias tide.dtype string
---| "float32"
---| "float64"
---| "float16"
---| "bfloat16"
---| "int64"
---| "int32"
---| "int16"
---| "int8"
---| "uint8"
---| "bool"

---@class tide.Device
---@field type string
---@field index integer

---@class tide.TensorOptions
---@field dtype? tide.dtype
---@field device? tide.Device|string
---@field requires_grad? boolean
]]

-- The operators of tensors in the language server's words.
local kOperators = {
  "add", "sub", "mul", "div", "idiv", "mod", "pow", "band", "bor", "bxor", "shl", "shr",
}

local kTypeOfField = {
  shape = "integer[]", dtype = "tide.dtype", device = "tide.Device", ctx = "tide.Device",
  grad = "tide.Tensor?", requires_grad = "boolean", is_leaf = "boolean",
  retains_grad = "boolean", T = "tide.Tensor",
  mT = "tide.Tensor", H = "tide.Tensor", mH = "tide.Tensor", data = "tide.Tensor", ndim = "integer", itemsize = "integer",
  nbytes = "integer",
}

--- A name that Lua takes for a parameter.
local function safe(name) return kKeywords[name] and name .. "_" or name end

--- The parameters in "(dim?, {keepdim, dtype})": a list of {name, type, optional, rest}.
local function parsed_parameters(signature)
  local list = {}
  local text = signature:match "%((.*)%)" or ""
  local without, options = text:gsub("{.*}%??", "")
  for word in without:gmatch "[^,]+" do
    local name = word:match "[%a_][%w_]*"
    if name or word:find("...", 1, true) then
      list[#list + 1] = {
        name = name or "...", type = kTypeOfName[name] or "any",
        optional = word:find("?", 1, true) ~= nil,
        rest = word:find("...", 1, true) ~= nil,
      }
    end
  end
  if options > 0 then
    list[#list + 1] = {name = "options", type = "table", optional = true}
  end
  return list
end

local function parameters_of(entry)
  if not entry.parameters then return parsed_parameters(entry.signature) end
  local list = {}
  for i, parameter in ipairs(entry.parameters) do
    local kind = kTypeOfKind[parameter.kind]
    if not kind then raise("manual: there is no annotation for '%s'", parameter.kind) end
    local named = parameter.kind == "table of options"
    list[i] = {
      name = named and "options" or safe(parameter.name), optional = parameter.optional,
      rest = parameter.rest,
      -- An optional argument may also be given by name in a table.
      type = parameter.optional and not named and kind .. "|table" or kind,
    }
  end
  return list
end

local function results_of(entry)
  if entry.results then
    return (entry.results:gsub("Tensor", "tide.Tensor"):gsub("%.%.%.", ""))
  end
  local place = entry.called_as:match "^(.*%.)[^.]*$"
  if kResultOf[place] then return kResultOf[place] end
  if kClasses[place] and entry.name:find "^%u" then return kClasses[place] end
  if entry.called_as == "tide.tensor" or entry.called_as == "tide.from" then return "tide.Tensor" end
  local class = entry.called_as
  local known = class == kReceivers.loader.class or class == kReceivers.manager.class
  return (known or class:find "^tide%.%u%a*$") and class
    or class:find "^tide%.data%.%a*Sampler$" and kReceivers.sampler.class or "any"
end

--- "fun(self: tide.Tensor, dim: integer): tide.Tensor".
local function overload_text(entry, receiver)
  local parts = {receiver and "self: " .. receiver.class}
  for _, parameter in ipairs(parameters_of(entry)) do
    local form = parameter.rest and "...: %s" or parameter.optional and "%s?: %s" or "%s: %s"
    parts[#parts + 1] = parameter.rest and form:format(parameter.type)
      or form:format(parameter.name, parameter.type)
  end
  return ("fun(%s): %s"):format(table.concat(parts, ", "), results_of(entry))
end

--- The function of a list of entries of one name: the first as such, the others as overloads.
local function write_function(write, list, path, receiver)
  local entry, names = list[1], {}
  write("\n---" .. entry.doc)
  for _, parameter in ipairs(parameters_of(entry)) do
    names[#names + 1] = parameter.rest and "..." or parameter.name
    write(("---@param %s%s %s"):format(names[#names],
      parameter.optional and not parameter.rest and "?" or "", parameter.type))
    if parameter.rest then break end
  end
  write("---@return " .. results_of(entry))
  for i = 2, #list do write("---@overload " .. overload_text(list[i], receiver)) end
  write(("function %s(%s) end"):format(path, table.concat(names, ", ")))
end

--- Entries by what they are called as, in order: {called_as, entry, ...}.
local function by_name()
  local lists, order = {}, {}
  for _, entry in ipairs(entries) do
    local list = lists[entry.called_as]
    if not list then
      list = {}
      lists[entry.called_as], order[#order + 1] = list, list
    end
    list[#list + 1] = entry
  end
  return order
end

local function write_classes(write)
  write "\n---@class tide.Tensor"
  for _, entry in ipairs(entries) do
    if entry.family == "Fields of a tensor" then
      write(("---@field %s %s # %s"):format(entry.name, kTypeOfField[entry.name] or "any", entry.doc))
    end
  end
  for _, operator in ipairs(kOperators) do
    write(("---@operator %s(tide.Tensor|number): tide.Tensor"):format(operator))
  end
  write "---@operator unm: tide.Tensor\n---@operator bnot: tide.Tensor\n---@operator len: integer"
  write "local Tensor = {}"
  for _, name in ipairs {
    "module", "optimizer", "metric", "logger", "generator", "event", "stream", "loader", "sampler", "manager",
    "trainer", "profile", "explanation", "step", "thread", "channel",
  } do
    local receiver = kReceivers[name]
    write("\n---@class " .. receiver.class)
    if name == "module" then write "---@overload fun(...): tide.Tensor" end
    write(("local %s = {}"):format(receiver.table))
  end
  write "\n---@class tide.optim.lr_scheduler.LRScheduler"
end

--- The tables that names lie in, such as tide.nn.functional, outer ones first. One may be called as
--- well.
local function write_tables(write, order)
  local seen, called = {}, {}
  for _, list in ipairs(order) do
    called[list[1].called_as] = list[1].signature:find "%(" ~= nil
  end
  for _, list in ipairs(order) do
    local path = list[1].called_as
    if path:find "^tide%." and not path:find ":" then
      local place = ""
      for name in path:match("^(.*)%.[^.]*$"):gmatch "[^.]+" do
        place = place == "" and name or place .. "." .. name
        if not seen[place] then
          local overload = called[place] and "\n---@overload fun(...): any" or ""
          write(("\n---@class %s_library%s\n%s = {}"):format(place, overload, place))
        end
        seen[place] = true
      end
    end
  end
  return seen
end

--- The text of the annotations.
function annotations.text()
  local lines = {kPreamble}
  local function write(line) lines[#lines + 1] = line end
  local order = by_name()
  write_classes(write)
  local tables = write_tables(write, order)
  for _, list in ipairs(order) do
    local path = list[1].called_as
    local receiver, method = path:match "^(%a+):(.*)$"
    if receiver and kReceivers[receiver] then
      write_function(write, list, kReceivers[receiver].table .. ":" .. method, kReceivers[receiver])
    elseif list[1].family == "Types" then
      write(("%s = %q"):format(path, tide[list[1].name]))
    elseif path:find "^tide%." and not tables[path] then
      write_function(write, list, path)
    end
  end
  write "\nreturn tide"
  return table.concat(lines, "\n") .. "\n"
end

--- Writes the annotations to a file; gives a line about them.
function annotations.write(path)
  native.write_file(path, annotations.text())
  return "annotations in " .. path
end

return annotations
