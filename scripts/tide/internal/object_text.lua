-- The text of an object whose class says nothing else: StepLR(gamma = 0.1, last_epoch = 0, optimizer = SGD).
local table_text = require "tide.internal.table_text"

local kLongest <const> = 60 -- letters of a list
local kColumns <const> = 90

--- What stands for a field: numbers and the like, short lists, the names of classes; else nil.
local function value_text(value)
  if type(value) ~= "table" then
    local shown = type(value) ~= "function" and type(value) ~= "thread"
    return shown and table_text {value}:sub(2, -2) or nil
  end
  local meta = getmetatable(value)
  if meta then return rawget(meta, "__name") end
  local text = table_text(value)
  return text ~= "{}" and #text <= kLongest and text or nil
end

local function object_text(object)
  local fields = {}
  for name, value in next, object do
    local text = type(name) == "string" and name:sub(1, 1) ~= "_" and value_text(value)
    if text then fields[#fields + 1] = ("%s = %s"):format(name, text) end
  end
  table.sort(fields)
  local title, inner = getmetatable(object).__name, table.concat(fields, ", ")
  if #inner <= kColumns then return ("%s(%s)"):format(title, inner) end
  return ("%s(\n  %s\n)"):format(title, table.concat(fields, ",\n  "))
end

return object_text
