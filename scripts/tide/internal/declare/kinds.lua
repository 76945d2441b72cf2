-- Kinds of arguments: checks values against the types in declarations.
--
-- A type is `any`, one of Lua's (`boolean`, `string`, `table`, `function`: whatever can be called), `number`, `integer`
-- (also as a float without a fraction), `tensor`, `module`, `device`, `dtype`, `false`, a text in quotes, or the name
-- of an object that the function itself looks at (`loader`). `T[]` is a list of them, `T[2]` one of two; `A | B` is
-- either. Numbers may have a range: `number >= 0`, `integer > 0`,
-- `number in [0, 1)`, `number[] in [0, 1)`.
local is_callable = require "tide.internal.is_callable"
local tide = require "tide"

local kinds = {}

local function of_type(name) return function(value) return type(value) == name end end

--- By their words: whether a value is of that kind.
local tests <const> = {
  any = function() return true end,
  boolean = of_type "boolean", string = of_type "string", table = of_type "table", number = of_type "number",
  tensor = tide.is_tensor, ["function"] = is_callable, dtype = of_type "string", callback = of_type "table",
  ["false"] = function(value) return value == false end,
  ["nil"] = function(value) return value == nil end,
  integer = function(value) return type(value) == "number" and math.tointeger(value) ~= nil end,
  module = function(value) return type(value) == "table" and (getmetatable(value) or {}).__is_module == true end,
  device = function(value) return type(value) == "string" or type(value) == "userdata" end,
}

local object_types <const> = {table = true, userdata = true, ["function"] = true}
local function is_object(value) return object_types[type(value)] end

local function within(least, open_below, most, open_above)
  return function(value)
    return (value > least or not open_below and value == least) and (value < most or not open_above and value == most)
  end
end

--- The test of a number that "in [0, 1)" or ">= 0" stands for, and how messages put it.
local function range_of(text)
  local open, least, most, close = text:match "^in ([%[(])(.-), (.-)([%])])$"
  if open then
    local is_closed = open == "[" and close == "]"
    local form = is_closed and "between %s and %s"
      or (open == "[" and "at least" or "above") .. " %s and " .. (close == "]" and "at most" or "below") .. " %s"
    return within(tonumber(least), open == "(", tonumber(most), close == ")"), form:format(least, most)
  end
  local sign, bound = text:match "^([<>]=?) (.*)$"
  local limit, is_open = tonumber(bound), #sign == 1
  if sign:sub(1, 1) == ">" then
    local test = within(limit, is_open, math.huge)
    if bound == "0" then return test, is_open and "positive" or "non-negative" end
    return test, (is_open and "above " or "at least ") .. bound
  end
  return within(-math.huge, false, limit, is_open), (is_open and "below " or "at most ") .. bound
end

--- Whether a value is a list of what `is` accepts, of that length if there is one.
local function list_test(is, length)
  return function(value)
    if type(value) ~= "table" or length and #value ~= length then return false end
    for i = 1, #value do
      if not is(value[i]) then return false, i end
    end
    return true
  end
end

--- One of the alternatives of a type: {is (of a value), text, word, noun (in messages), literal, length (of a list),
--- within (of a number), range}.
local function alternative_of(text)
  if text:find '^"' then
    local literal = text:sub(2, -2)
    return {is = function(value) return value == literal end, text = text, literal = true}
  end
  local word, lists, range = text:match "^([%w_]+)([%[%]%d]*) ?(.*)$"
  local is = tests[word] or is_object
  local noun = word == "dtype" and "type name" or word
  local made = {is = is, text = noun, word = word, noun = noun}
  if range ~= "" then made.within, made.range = range_of(range) end
  for length in lists:gmatch "%[(%d*)%]" do
    made.is, made.length = list_test(made.is, tonumber(length)), tonumber(length)
    made.text = ("table of %s%ss"):format(length == "" and "" or length .. " ", made.text)
  end
  return made
end

--- Whether a number, or one of a list, is out of the range.
local function is_outside(alternative, value)
  if type(value) == "number" then return not alternative.within(value) end
  for _, element in ipairs(type(value) == "table" and value or {}) do
    if type(element) == "number" and not alternative.within(element) then return true end
  end
  return false
end

local not_named <const> = {
  boolean = true, string = true, number = true, integer = true, tensor = true, ["function"] = true, dtype = true,
  device = true, ["false"] = true,
}

--- Whether a type takes tables with names: not if it is numbers, texts, tensors, functions, or lists of them.
function kinds.takes_named_tables(type_text)
  local words = type_text:gsub('"[^"]*"', "string"):gsub(" in [%[(].-[%])]", ""):gsub("[<>]=? [%w.-]+", "")
  for word in words:gmatch "[%a_]+" do
    if not not_named[word] then return true end
  end
  return false
end

--- Whether false is of a type.
function kinds.takes_false(type_text)
  for part in type_text:gmatch "%a+" do
    if part == "false" or part == "boolean" or part == "any" then return true end
  end
  return false
end

local function alternatives_of(type_text)
  local alternatives = {}
  for part in (type_text .. " | "):gmatch "(.-) | " do alternatives[#alternatives + 1] = alternative_of(part) end
  return alternatives
end

--- Whether a value is of a type, whatever its range.
function kinds.is(value, type_text)
  for _, alternative in ipairs(alternatives_of(type_text)) do
    if alternative.is(value) then return true end
  end
  return false
end

local function make_reader(type_text)
  local alternatives = alternatives_of(type_text)
  -- A float without a fraction becomes an integer, unless floats mean something else, as shares do.
  local is_whole = type_text:find "^integer%f[%W]" and not type_text:find "^integer%["
    and not type_text:find "%f[%w]number%f[%W]" and math.type
  return function(caller, place, name, value)
    for _, alternative in ipairs(alternatives) do
      if alternative.is(value) then
        if alternative.within and is_outside(alternative, value) then
          require "tide.internal.declare.refuse_value"(caller, place, name, value, alternatives, alternative)
        end
        return is_whole and is_whole(value) == "float" and math.tointeger(value) or value
      end
    end
    require "tide.internal.declare.refuse_value"(caller, place, name, value, alternatives)
  end
end

local readers = {} -- by type

--- A function(caller, place, name, value) that gives the value, if it is of the type, else raises an error in the name
--- of `caller`.
function kinds.reader(type_text)
  readers[type_text] = readers[type_text] or make_reader(type_text)
  return readers[type_text]
end

return kinds
