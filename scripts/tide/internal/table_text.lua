-- A table as text, as shown by the prompt: {3, 4}, {a = 1, list = {1, 2}}.
local tide = require "tide"

local kColumns <const> = 90
local kMostEntries <const> = 40 -- of a table; more are only counted
local kDeepest <const> = 3      -- tables in more others are {...}
local kLongest <const> = 60     -- letters of a string

local table_text

local function string_text(text)
  local short = #text > kLongest and text:sub(1, kLongest) .. "..." or text
  return (("%q"):format(short):gsub("\\\n", "\\n"))
end

local function value_text(value, depth)
  local kind = type(value)
  if kind == "string" then return string_text(value) end
  if kind == "function" then return "function" end
  if tide.is_tensor(value) then
    local shape = table.concat(value.shape, ", ")
    return ("tensor (%s) %s %s"):format(shape, value.dtype, tostring(value.device))
  end
  if kind == "table" and not getmetatable(value) then return table_text(value, depth + 1) end
  return tostring(value)
end

local function key_text(key)
  if type(key) == "string" and key:match "^[%a_][%w_]*$" then return key .. " = " end
  return ("[%s] = "):format(type(key) == "string" and string_text(key) or tostring(key))
end

--- The keys that are not list indices, sorted by kind and value.
local function other_keys(t)
  local keys = {}
  for key in pairs(t) do
    if math.type(key) ~= "integer" or key < 1 or key > #t then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b)
    if type(a) == "number" and type(b) == "number" then return a < b end
    if type(a) ~= type(b) then return type(a) < type(b) end
    return tostring(a) < tostring(b)
  end)
  return keys
end

--- The entries in one line if they fit. Else those of the list fill lines, and each other entry
--- has one of its own.
local function joined(list, others, depth)
  local all = table.move(others, 1, #others, #list + 1, table.move(list, 1, #list, 1, {}))
  local whole = "{" .. table.concat(all, ", ") .. "}"
  if #whole + 2 * depth <= kColumns and not whole:find "\n" then return whole end
  local lines, line = {}, nil
  for _, text in ipairs(list) do
    local longer = line and line .. ", " .. text
    if longer and #longer + 2 * depth < kColumns and not longer:find "\n" then
      line = longer
    else
      lines[#lines + 1], line = line, text
    end
  end
  lines[#lines + 1] = line
  table.move(others, 1, #others, #lines + 1, lines)
  local indent = "\n" .. ("  "):rep(depth)
  return "{" .. indent .. "  " .. table.concat(lines, "," .. indent .. "  ") .. indent .. "}"
end

function table_text(t, depth)
  if next(t) == nil then return "{}" end
  if depth == kDeepest then return "{...}" end
  local list, others, keys = {}, {}, other_keys(t)
  for i = 1, math.min(#t, kMostEntries) do list[i] = value_text(t[i], depth) end
  for i = 1, math.min(#keys, kMostEntries - #list) do
    others[i] = key_text(keys[i]) .. value_text(t[keys[i]], depth)
  end
  local rest = #t + #keys - #list - #others
  if rest > 0 then others[#others + 1] = ("... %d more"):format(rest) end
  return joined(list, others, depth)
end

--- The text of a table without a metatable.
return function(t) return table_text(t, 0) end
