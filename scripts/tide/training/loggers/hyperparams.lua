-- Hyperparameters: nested tables as flat tables and as YAML.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"
local with_decimal_point = require "tide.internal.with_decimal_point"

local hyperparams = {}

local function add(caller, into, prefix, values, depth)
  if depth > 16 then raise("%s: hyperparameters: tables are nested more than 16 deep", caller) end
  for key, value in pairs(values) do
    local name = prefix .. tostring(key)
    if tide.is_tensor(value) and value:numel() == 1 then value = value:item() end
    if type(value) == "table" and not getmetatable(value) then
      add(caller, into, name .. "/", value, depth + 1)
    elseif type(value) == "number" or type(value) == "boolean" then
      into[name] = value
    else
      into[name] = tostring(value)
    end
  end
  return into
end

--- The hyperparameters by name; those of nested tables are named "outer/inner".
function hyperparams.flat(caller, values)
  if type(values) ~= "table" then
    raise("%s: hyperparameters: expected a table, got %s", caller, kind_of(values))
  end
  return add(caller, {}, "", values, 0)
end

--- The names of values, sorted.
function hyperparams.names(flat)
  local names = {}
  for name in pairs(flat) do names[#names + 1] = name end
  table.sort(names)
  return names
end

--- A double-quoted YAML string.
local function string_text(text)
  local escaped = text:gsub('[\\"]', "\\%0"):gsub("[%c]", function(c) return ("\\x%02X"):format(c:byte()) end)
  return '"' .. escaped .. '"'
end

local function value_text(value)
  if type(value) == "string" then return string_text(value) end
  if value ~= value then return ".nan" end
  if value == 1 / 0 or value == -1 / 0 then return value > 0 and ".inf" or "-.inf" end
  if math.type(value) ~= "float" then return tostring(value) end
  local text = ("%.17g"):format(value)
  if tonumber(("%.15g"):format(value)) == value then text = ("%.15g"):format(value) end
  -- YAML 1.1 requires a decimal point in floats.
  return text:find("%.") and text or text:gsub("^%-?%d+", "%0.0")
end

--- The text of hparams.yaml.
hyperparams.yaml = with_decimal_point(function(flat)
  local lines = {}
  for i, name in ipairs(hyperparams.names(flat)) do
    local key = name:find "^[%a_][%w_/]*$" and name or string_text(name)
    lines[i] = key .. ": " .. value_text(flat[name]) .. "\n"
  end
  return table.concat(lines)
end)

return hyperparams
