-- Examples of the reference: one line of Lua and, after `-->`, its result.
--
--   tide.tensor{1.0, 4}:sqrt() --> {1.0, 2.0}
--   local x = tide.ones(2); x:add_(1); x --> {2.0, 2.0}
--
-- Of several statements, parted by "; ", the last is an expression. Without `-->` it only has to run.
-- The short names nn, F, optim and autograd stand for tide.nn, tide.nn.functional,
-- tide.optim and tide.autograd.
local tide = require "tide"

local example = {}

local function number_text(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x ~= x then return "nan" end
  if x == 1 / 0 or x == -1 / 0 then return x > 0 and "inf" or "-inf" end
  local text = ("%.4g"):format(x)
  return text:find "[.e]" and text or text .. ".0"
end

local value_text

--- A list as {1, 2}; followed by other keys, sorted, as {a = 1}.
local function table_text(t)
  local parts, keys = {}, {}
  for i, value in ipairs(t) do parts[i] = value_text(value) end
  for key in pairs(t) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do parts[#parts + 1] = key .. " = " .. value_text(t[key]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

function value_text(value)
  if tide.is_tensor(value) then value = value:tolist() end
  if type(value) == "number" then return number_text(value) end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) == "table" and not (getmetatable(value) or {}).__tostring then
    return table_text(value)
  end
  return tostring(value)
end

--- The values of an example as Lua writes them, numbers with four digits: "{1.0, 2.0}, {1, 2}".
function example.text_of(...)
  local parts = table.pack(...)
  for i = 1, parts.n do parts[i] = value_text(parts[i]) end
  return table.concat(parts, ", ")
end

--- The code of an example, and the text that it promises (nil if none).
function example.split(text)
  local code, promised = text:match "^(.-) %-%-> (.*)$"
  return code or text, promised
end

--- What the code of an example is run with; `names` come first.
function example.environment(names)
  local short = {nn = tide.nn, F = tide.nn.functional, optim = tide.optim, autograd = tide.autograd}
  for name, value in pairs(names or {}) do short[name] = value end
  return setmetatable(short, {__index = _G})
end

--- The code of an example as a function that gives the values of its last statement.
function example.load(code, environment)
  local before, last = code:match "^(.*; )(.-)$"
  return assert(load((before or "") .. "return " .. (last or code), "=example", "t", environment))
end

--- Runs an example: what it gives as text, and what it promises (nil if nothing).
function example.run(text)
  local code, promised = example.split(text)
  return example.text_of(example.load(code, example.environment())()), promised
end

--- The example as a reader likes it: a long one with a statement a line.
function example.lines(text)
  if #text <= 90 then return {text} end
  local code, promised = example.split(text)
  local lines = {}
  for statement in (code .. "; "):gmatch "(.-); " do lines[#lines + 1] = statement end
  if promised then lines[#lines] = lines[#lines] .. " --> " .. promised end
  return lines
end

return example
