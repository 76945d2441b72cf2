-- Parses the arguments of a function by its declaration: positional ones first, then a table of named ones.
local declaration = require "tide.internal.declare.declaration"
local file_metadata = require "tide.internal.file_metadata"
local kinds = require "tide.internal.declare.kinds"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"

--- A table that holds options, as opposed to a list, which is a value.
local function is_options(value)
  return type(value) == "table" and not getmetatable(value) and type(next(value)) == "string"
end

local constants <const> = {["true"] = true, ["false"] = false}

--- The value of a default, as Lua.
local function value_of(text)
  local constant = constants[text]
  if constant ~= nil or text == "nil" then return constant end
  local number = tonumber(text)
  if number then return number end
  return load("return " .. text, "=default", "t", {nn = require("tide").nn, math = math})()
end

--- The parameters that are declared under a name. Those of "nn.Linear:forward" are what its objects are called with.
local function declared_parameters(name, files)
  local class_name = name:match "^(.*):forward$"
  for _, file in ipairs(files) do
    local declared = declaration.of(class_name or name, file)
    if declared then return class_name and declared.call or declared.parameters end
  end
  error(("there is no declaration of %s in %s"):format(name, table.concat(files, ", ")))
end

--- What `read` needs to know of the parameters: lists by position, and positions by name.
local function prepare(name, files)
  local declared = declared_parameters(name, files)
  local plan = {
    caller = name:match "([%w_]+):forward$" or name:match "[%w_]+$", names = {}, position = {}, places = {},
    options = {}, checks = {}, required = {}, defaults = {}, like = {}, is_open = {}, takes_false = {},
  }
  for _, parameter in ipairs(declared) do
    local i = #plan.names + 1
    if parameter.rest then -- its function takes those by itself, and reads options alone
      plan.before_rest = i - 1
      goto continue
    end
    plan.names[i], plan.position[parameter.name] = parameter.name, i
    plan.places[i] = ("argument %d (%s)"):format(i, parameter.name)
    plan.options[i] = ("option '%s'"):format(parameter.name)
    local is_table = (" " .. parameter.type .. " "):find " table " ~= nil or parameter.type == "any"
    plan.is_open[i] = parameter.type == "table" or is_table and not parameter.optional
    plan.takes_false[i] = parameter.default ~= "nil" or kinds.takes_false(parameter.type)
    plan.checks[i], plan.required[i] = kinds.reader(parameter.type), not parameter.optional
    local default = parameter.default
    if plan.position[default] then plan.like[i] = default elseif default then plan.defaults[i] = value_of(default) end
    ::continue::
  end
  -- The type of a first argument that may be a table with names of its own, such as a data set.
  plan.first = plan.required[1] and kinds.takes_named_tables(declared[1].type) and declared[1].type
  return plan
end

local function read_named(plan, values, options, count)
  for name, value in pairs(options) do
    local at = plan.position[name]
    if not at then
      local near = type(name) == "string" and require "tide.internal.nearest"(name, plan.position)
      raise("%s: unknown option '%s'%s: known are %s", plan.caller, tostring(name),
        near and ("; did you mean '%s'?"):format(near) or "", table.concat(plan.names, ", "))
    end
    if at <= count and values[name] ~= nil then raise("%s: %s is given twice", plan.caller, name) end
    if value or plan.takes_false[at] then -- else false stands for nil, which no table can hold
      values[name] = plan.checks[at](plan.caller, plan.options[at], name, value)
    end
  end
end

--- Whether a table with names in the last place is the value of the parameter there: of one that is a table, if no name
--- is that of an option, or what is given alone to a function whose first argument may be such a table.
local function is_value(plan, given, count)
  if count == 1 and plan.first then
    local own = given[plan.names[1]]
    return own == nil or not kinds.is(own, plan.first)
  end
  if not plan.is_open[count] then return false end
  for name in pairs(given) do
    if plan.position[name] then return false end
  end
  return true
end

local function read(plan, ...)
  local names = plan.names
  local count, values, given = select("#", ...), {}, {...}
  if file_metadata[given[count]] then count = count - 1 end
  local last = given[count]
  -- An empty table after all required arguments is an empty table of options.
  local is_empty = type(last) == "table" and next(last) == nil and not plan.required[count]
  local options = (is_options(last) or is_empty) and last or nil
  if options and is_value(plan, options, count) then options = nil end
  if options then count = count - 1 end
  while count > #names and given[count] == nil do count = count - 1 end
  for i = 1, math.min(count, #names) do
    local name, value = names[i], given[i]
    if value or value == false and plan.takes_false[i] then
      values[name] = plan.checks[i](plan.caller, plan.places[i], name, value)
    end
  end
  if count > #names then refuse_more(plan.caller, #names, table.unpack(given, #names + 1, count)) end
  if options then read_named(plan, values, options, count) end
  for i, name in ipairs(names) do
    if values[name] == nil then
      if plan.required[i] then plan.checks[i](plan.caller, plan.places[i], name, nil) end
      local like = plan.like[i]
      values[name] = plan.defaults[i]
      if like then values[name] = values[like] end
    end
  end
  return values, names
end

--- Checks the arguments in front of those that follow in any number, and gives all as they are.
local function read_first(plan, ...)
  for i = 1, plan.before_rest do
    local value = select(i, ...)
    if value ~= nil or plan.required[i] then plan.checks[i](plan.caller, plan.places[i], plan.names[i], value) end
  end
  return ...
end

--- The values of arguments by position alone, in order. A table in the last place may be one of names.
local function read_positions(plan, ...)
  local values = {...}
  for i, name in ipairs(plan.names) do
    local value = values[i]
    if value or value == false and plan.takes_false[i] then
      values[i] = plan.checks[i](plan.caller, plan.places[i], name, value)
    else
      if plan.required[i] then plan.checks[i](plan.caller, plan.places[i], name, nil) end
      values[i] = plan.defaults[i]
      if plan.like[i] then values[i] = values[plan.position[plan.like[i]]] end
    end
  end
  return table.unpack(values, 1, #plan.names)
end

--- What reads the arguments of what is declared under `name`, "optim.SGD", in the file that calls this, or in one that
--- called that: a function that gives all values by their names, and the list of names. A value of another type than
--- the declared one, a name that is not declared, a surplus argument, or one given twice, is an error. A second one
--- reads a table of options alone and adds no defaults; a third gives the names; a fourth all values in order, what
--- follows in any number among them. The declaration is looked up when one of them is first called. Of a method,
--- "module:to_empty", the first argument is the value of `self`. `file` is where the declaration is, if that is known.
local function reader(name, file)
  local files, plan = file and {file} or declaration.files_of_callers(), nil

  local function read_arguments(...)
    plan = plan or prepare(name, files)
    return read(plan, ...)
  end

  local function read_method(self, ...)
    local values, names = read_arguments(...)
    values.self = self
    return values, names
  end

  local function read_options(options)
    plan = plan or prepare(name, files)
    local values = {}
    read_named(plan, values, options, 0)
    return values
  end

  local function names()
    plan = plan or prepare(name, files)
    return plan.names
  end

  local function read_values(...)
    plan = plan or prepare(name, files)
    local count = select("#", ...)
    if plan.before_rest then return read_first(plan, ...) end
    if count == 0 and #plan.names == 0 then return end
    local last = count > 0 and select(count, ...)
    if count <= #plan.names and (type(last) ~= "table" or getmetatable(last)) then return read_positions(plan, ...) end
    local values, list = read(plan, ...), {}
    for i, key in ipairs(plan.names) do list[i] = values[key] end
    return table.unpack(list, 1, #plan.names)
  end

  return name:find(":", 1, true) and read_method or read_arguments, read_options, names, read_values
end

return reader
