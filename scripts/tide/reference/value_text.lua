-- The text of the reference on a value: what it is, and what it can do. Looks, and runs no op.
local entries = require "tide.reference"
local entry_text = require "tide.reference.entry_text"
local lines = require "tide.reference.lines"
local lookup = require "tide.reference.lookup"
local receivers = require "tide.reference.receivers"
local table_text = require "tide.internal.table_text"
local tide = require "tide"
local topics = require "tide.reference.topics"

--- A row for each method of a receiver: its name and what it does.
local function add_methods(list, receiver)
  local widest, methods, seen = 0, {}, {}
  for _, entry in ipairs(entries) do
    if entry.called_as:sub(1, #receiver) == receiver and not seen[entry.name] then
      methods[#methods + 1] = entry
      seen[entry.name] = true
      widest = math.max(widest, #entry.name)
    end
  end
  if methods[1] then list[#list + 1] = "Methods, each explained by ?" .. receiver .. "NAME" end
  for _, entry in ipairs(methods) do
    local head = "  " .. entry.name .. (" "):rep(widest - #entry.name + 2)
    list[#list + 1] = head .. lines.summary(entry.doc, lines.columns - #head)
  end
end

--- A line for each family of fields and methods of tensors.
local function add_tensor_names(list)
  local families, names, widest = {}, {}, 0
  for _, entry in ipairs(entries) do
    local name = entry.called_as:match "^x[.:]([%w_]-)_?$"
    if name then
      if not names[entry.family] then
        families[#families + 1], names[entry.family] = entry.family, {}
        widest = math.max(widest, #entry.family)
      end
      local known = names[entry.family]
      if not known[name] then known[name], known[#known + 1] = true, name end
    end
  end
  list[#list + 1] = "Fields and methods, each explained by ?x.NAME"
  for _, family in ipairs(families) do
    list[#list + 1] = ("  %s%s  %s"):format(topics.title(family), (" "):rep(widest - #family),
      lines.names(names[family], lines.columns - widest - 4))
  end
end

local function tensor_text(x)
  local shape = table.concat(x.shape, ", ")
  local about = ("a tensor (%s) %s %s"):format(shape, x.dtype, tostring(x.device))
  local gradient = x.is_leaf and ", requires a gradient" or ", computed from what requires one"
  local list = {x.requires_grad and about .. gradient or about}
  add_tensor_names(list)
  return table.concat(list, "\n")
end

--- Methods that a class of a script defines, sorted.
local function own_methods(made)
  local names = {}
  for name, member in pairs(made) do
    local own = type(name) == "string" and name:sub(1, 2) ~= "__" and type(member) == "function"
    if own then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- An object of a class: its text, its class, its methods.
local function object_text(value)
  local made = debug.getmetatable(value)
  local list = {}
  for line in tostring(value):gmatch "[^\n]+" do list[#list + 1] = line end
  local known = type(made) == "table" and lookup.of_value(made) or {}
  if known[1] then
    list[#list + 1] = "an object of " .. known[1].called_as
    lines.add(list, "    ", known[1].doc)
  elseif type(value) == "table" then
    list[#list + 1] = ("an object of the class %s%s"):format(made.__name or "without a name",
      made.base and ", derived from " .. made.base.name or "")
    local names = own_methods(made)
    if names[1] then list[#list + 1] = "its own methods: " .. table.concat(names, ", ") end
  end
  local receiver = receivers.of(value)
  if receiver then add_methods(list, receiver .. ":") end
  return table.concat(list, "\n")
end

--- A function of a script: where it is and what it takes.
local function function_text(fn)
  local about = debug.getinfo(fn, "Su")
  local is_script = about.what ~= "C" and not about.source:find "^=%[tide%]"
  if not is_script then return "a function that has no help" end
  local names = {}
  for i = 1, about.nparams do names[i] = debug.getlocal(fn, i) end
  if about.isvararg then names[#names + 1] = "..." end
  return ("a function (%s) of %s:%d"):format(table.concat(names, ", "), about.short_src,
    about.linedefined)
end

local function value_text(value)
  if tide.is_tensor(value) then return tensor_text(value) end
  if value == tide then return topics.overview() end
  local topic = type(value) == "table" and topics.of_value(value)
  if topic then return topic end
  local found = lookup.of_value(value)
  if found[1] then return entry_text(found) end
  if type(value) == "function" then return function_text(value) end
  if type(value) == "table" then
    local meta = getmetatable(value)
    if not meta then return "a table: " .. table_text(value) end
    if rawget(value, "__name") then
      return ("%s%s\nits methods: %s"):format(tostring(value),
        value.base and ", derived from " .. value.base.name or "",
        table.concat(own_methods(value), ", "))
    end
    return object_text(value)
  end
  if type(value) == "userdata" then return object_text(value) end
  return ("a value of type %s: %s"):format(math.type(value) or type(value), tostring(value))
end

return value_text
