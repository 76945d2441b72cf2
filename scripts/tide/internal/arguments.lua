-- Reads the arguments of library functions: positions first, then one table of named ones.
local declarations = require "tide.internal.declarations"
local nearest = require "tide.internal.nearest"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"

--- A table that holds options, as opposed to a list, which is a value.
local function is_options(value)
  return type(value) == "table" and not getmetatable(value) and type(next(value)) == "string"
end

--- "a, b or c", for messages.
local function known_names(names)
  local sorted = table.move(names, 1, #names, 1, {})
  table.sort(sorted)
  return table.concat(sorted, ", ")
end

--- Keeps what is declared for the reference. Of a class that is what makes an object, and behind it
--- what the object is called with.
local function declare(caller, declared, kinds)
  local key = declarations[caller] and declared[1] == "self" and caller .. ":forward" or caller
  declarations[key] = declarations[key] or {declared = declared, kinds = kinds or {}}
end

--- Returns a function that reads the arguments of `caller`.
---
--- `declared` lists the parameters in order: `"name"` must be given, `{"name", default}` may be
--- left out (a nil default is allowed). Any of them may be given by name in a trailing table; a
--- name that is not declared, or one given twice, is an error. `kinds` says of some of them what
--- they must be if they are given, as tide.internal.of_kind has it. The function returns a table of all
--- values by name.
local function arguments(caller, declared, kinds)
  declare(caller, declared, kinds)
  local names, defaults, required, position = {}, {}, {}, {}
  for i, entry in ipairs(declared) do
    local name = type(entry) == "table" and entry[1] or entry
    names[i], position[name] = name, i
    if type(entry) == "table" then defaults[name] = entry[2] else required[name] = true end
  end

  local function read_named(values, options, count)
    for name, value in pairs(options) do
      if not position[name] then
        local near = type(name) == "string" and nearest(name, position)
        raise("%s: unknown option '%s'%s: known are %s", caller, tostring(name),
          near and ("; did you mean '%s'?"):format(near) or "", known_names(names))
      end
      if position[name] <= count and values[name] ~= nil then
        raise("%s: %s is given twice", caller, name)
      end
      values[name] = value
    end
  end

  return function(...)
    local count, values, given = select("#", ...), {}, {...}
    local last = given[count]
    -- An empty table behind all that must be given can only be meant as no options.
    local empty = type(last) == "table" and next(last) == nil and not required[names[count]]
    local options = (is_options(last) or empty) and last or nil
    if options then count = count - 1 end
    while count > #names and given[count] == nil do count = count - 1 end
    if count > #names then
      for i, name in ipairs(names) do -- what is of the wrong kind tells more
        if kinds and kinds[name] and given[i] ~= nil then of_kind(caller, name, given[i], kinds[name]) end
      end
      raise("%s: takes at most %d argument%s, got %d", caller, #names, #names == 1 and "" or "s", count)
    end
    for i = 1, count do values[names[i]] = given[i] end
    if options then read_named(values, options, count) end
    for _, name in ipairs(names) do
      if values[name] == nil then
        if required[name] then raise("%s: %s is missing", caller, name) end
        values[name] = defaults[name]
      elseif kinds and kinds[name] then
        values[name] = of_kind(caller, name, values[name], kinds[name])
      end
    end
    return values
  end
end

return arguments
