-- Annotations for editors (the format of the Lua language server), made from the reference.
local entries = require "tide.reference"
local native = require "tide.native"
local notes = require "tide.reference.notes"
local receivers = require "tide.reference.receivers"
local tide = require "tide"

local annotations = {}

-- What the reference's words for types are to the language server. Other words are its own.
local kTypes <const> = {
  tensor = "tide.Tensor", dtype = "tide.dtype", device = "tide.Device|string",
  module = "tide.nn.Module", optimizer = "tide.optim.Optimizer", metric = "tide.metrics.Metric",
  logger = "tide.loggers.Logger", generator = "tide.Generator", event = "tide.Event",
  stream = "tide.Stream", sampler = "tide.data.Sampler",
  scheduler = "tide.optim.lr_scheduler.LRScheduler", loader = "tide.data.DataLoader|table",
  dataset = "table", options = "table", callback = "table", class = "table", PackedSequence = "table",
  trainer = "tide.Trainer",
}

-- What names in these places give.
local kClasses = {
  ["tide.nn."] = "tide.nn.Module", ["tide.optim."] = "tide.optim.Optimizer",
  ["tide.metrics."] = "tide.metrics.Metric", ["tide.loggers."] = "tide.loggers.Logger",
  ["tide.optim.lr_scheduler."] = "tide.optim.lr_scheduler.LRScheduler",
}
local kResultOf = {
  ["tide.nn.functional."] = "tide.Tensor", ["tide.nn.init."] = "tide.Tensor",
  ["tide.plot."] = "tide.plot.Figure", ["tide.plot.live"] = "tide.plot.Live",
}

--- The local table of the annotations that holds the methods of a class.
local function table_of(receiver)
  return receiver.name == "x" and "Tensor" or (receiver.name:gsub("^%l", string.upper))
end

-- Receivers of methods, by how signatures write them.
local kReceivers <const> = {}
for _, receiver in ipairs(receivers.list) do kReceivers[receiver.name] = receiver end

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
---| "float8_e4m3fn"
---| "float8_e5m2"
---| "int64"
---| "int32"
---| "int16"
---| "int8"
---| "uint8"
---| "bool"

---@class tide.Device
---@field type string
---@field index integer
]]

-- The operators of tensors in the language server's words.
local kOperators = {
  "add", "sub", "mul", "div", "idiv", "mod", "pow", "band", "bor", "bxor", "shl", "shr",
}

local kTypeOfField = {
  shape = "integer[]", dtype = "tide.dtype", device = "tide.Device", ctx = "tide.Device",
  grad = "tide.Tensor?", requires_grad = "boolean", is_leaf = "boolean",
  retains_grad = "boolean", T = "tide.Tensor",
  mT = "tide.Tensor", H = "tide.Tensor", mH = "tide.Tensor", data = "tide.Tensor",
  ndim = "integer", itemsize = "integer", nbytes = "integer",
}

--- A name that Lua takes for a parameter.
local function safe(name) return kKeywords[name] and name .. "_" or name end

--- A type of the reference in the language server's words: "tide.Tensor|number".
local function type_text(type)
  local parts = {}
  type = (type or "any"):gsub(" in [%[(].-[%])]", ""):gsub(" [<>]=? [%w.-]+", "") -- without ranges
  for word in type:gmatch "[^|]+" do
    local name, list = word:match "^%s*(.-)([%[%]]*)%s*$"
    local known = kTypes[name] or name
    local is_union = known:find("|", 1, true) ~= nil
    parts[#parts + 1] = (list ~= "" and is_union and "(" .. known .. ")" or known) .. list
  end
  return table.concat(parts, "|")
end

--- "add a trained bias (default: true)".
local function about_text(parameter)
  if not parameter.default or parameter.default == "nil" then return parameter.about end
  return ("%s (default: %s)"):format(parameter.about, parameter.default)
end

--- The class of the options of all functions of a name: "tide.options.nn.Linear".
local function options_class(entry)
  local path = entry.called_as:gsub("^tide%.", ""):gsub("^x:", ""):gsub(":", ".")
  return "tide.options." .. path
end

--- What a function takes in its place: {name, type, optional, rest, about}. What may be left out
--- may also be given by name in a table.
local function arguments_of(entry)
  local list, class, named = {}, options_class(entry), false
  for _, parameter in ipairs(entry.parameters) do
    if parameter.named then
      named = true
    else
      local type = type_text(parameter.type)
      if parameter.optional and entry.row then type = type .. "|" .. class end
      list[#list + 1] = {
        name = safe(parameter.name), type = type, optional = parameter.optional,
        rest = parameter.rest, about = about_text(parameter),
      }
    end
  end
  if named then
    list[#list + 1] = {name = "options", type = class, optional = true, about = "named arguments"}
  end
  return list
end

local function results_of(entry)
  if entry.results then
    return (entry.results:gsub("Tensor", "tide.Tensor"):gsub("%.%.%.", ""))
  end
  local place = entry.called_as:match "^(.*%.)[^.]*$"
  local result = kResultOf[entry.called_as] or kResultOf[place]
  if result then return result end
  if kClasses[place] and entry.name:find "^%u" then return kClasses[place] end
  local makes_tensor = entry.called_as == "tide.tensor" or entry.called_as == "tide.from"
  if makes_tensor then return "tide.Tensor" end
  local class = entry.called_as
  local known = class == kReceivers.loader.class or class == kReceivers.manager.class
  return (known or class:find "^tide%.%u%a*$") and class
    or class:find "^tide%.data%.%a*Sampler$" and kReceivers.sampler.class or "any"
end

--- "fun(self: tide.Tensor, dim: integer): tide.Tensor".
local function overload_text(entry, receiver)
  local parts = {receiver and "self: " .. receiver.class}
  for _, parameter in ipairs(arguments_of(entry)) do
    local form = parameter.rest and "...: %s" or parameter.optional and "%s?: %s" or "%s: %s"
    parts[#parts + 1] = parameter.rest and form:format(parameter.type)
      or form:format(parameter.name, parameter.type)
  end
  return ("fun(%s): %s"):format(table.concat(parts, ", "), results_of(entry))
end

local function write_notes(write, entry)
  write("\n---" .. entry.doc)
  for _, note in ipairs(notes.list(entry)) do
    write(("---\n---%s: %s"):format(note.title, note.text))
  end
end

--- The function of a list of entries of one name: the first as such, the others as overloads.
local function write_function(write, list, path, receiver)
  local entry, names = list[1], {}
  write_notes(write, entry)
  for _, parameter in ipairs(arguments_of(entry)) do
    names[#names + 1] = parameter.rest and "..." or parameter.name
    write(("---@param %s%s %s # %s"):format(names[#names],
      parameter.optional and not parameter.rest and "?" or "", parameter.type, parameter.about))
    if parameter.rest then break end
  end
  write("---@return " .. results_of(entry))
  for i = 2, #list do write("---@overload " .. overload_text(list[i], receiver)) end
  write(("function %s(%s) end"):format(path, table.concat(names, ", ")))
end

--- A class for the options of each name, so that an editor completes them inside of braces.
local function write_options(write)
  local classes, order = {}, {}
  for _, entry in ipairs(entries) do
    local name = options_class(entry)
    for _, parameter in ipairs(entry.parameters) do
      if parameter.named or parameter.by_name or entry.row and parameter.optional then
        local class = classes[name]
        if not class then
          class = {name = name}
          classes[name], order[#order + 1] = class, class
        end
        if not class[parameter.name] then
          class[parameter.name], class[#class + 1] = true, parameter
        end
      end
    end
  end
  for _, class in ipairs(order) do
    write("\n---@class " .. class.name)
    for _, parameter in ipairs(class) do
      write(("---@field %s? %s # %s"):format(parameter.name, type_text(parameter.type),
        about_text(parameter)))
    end
  end
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
      local type = kTypeOfField[entry.name] or "any"
      write(("---@field %s %s # %s"):format(entry.name, type, entry.doc))
    end
  end
  for _, operator in ipairs(kOperators) do
    write(("---@operator %s(tide.Tensor|number): tide.Tensor"):format(operator))
  end
  write "---@operator unm: tide.Tensor\n---@operator bnot: tide.Tensor\n---@operator len: integer"
  write "local Tensor = {}"
  for _, receiver in ipairs(receivers.list) do
    if receiver.class ~= "tide.Tensor" then
      write("\n---@class " .. receiver.class)
      if receiver.name == "module" then write "---@overload fun(...): tide.Tensor" end
      write(("local %s = {}"):format(table_of(receiver)))
    end
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
  write_options(write)
  local tables = write_tables(write, order)
  for _, list in ipairs(order) do
    local path = list[1].called_as
    local receiver, method = path:match "^(%a+):(.*)$"
    local known = kReceivers[receiver]
    if known then
      write_function(write, list, table_of(known) .. ":" .. method, known)
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
