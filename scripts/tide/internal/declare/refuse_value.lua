-- Errors about values that are not of the declared type.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- "a, b or c".
local function either(alternatives)
  local texts = {}
  for i, alternative in ipairs(alternatives) do texts[i] = alternative.text end
  if #texts == 1 then return texts[1] end
  return table.concat(texts, ", ", 1, #texts - 1) .. " or " .. texts[#texts]
end

local function value_text(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for i, element in ipairs(value) do parts[i] = tostring(element) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

--- Raises what is wrong with a value that is none of the alternatives (see kinds.lua), or out of the range of one of
--- them, `outside`. `place` is "argument 1 (x)" or "option 'x'".
return function(caller, place, name, value, alternatives, outside)
  if outside then raise("%s: %s must be %s, got %s", caller, name, outside.range, value_text(value)) end
  local at, alternative -- the list that fits as far as possible
  for _, each in ipairs(alternatives) do
    local _, place = each.is(value)
    if place and place > (at or 0) then at, alternative = place, each end
  end
  if at then
    local element = value[at]
    raise("%s: %s: element %d: expected %s, got %s", caller, name, at, alternative.noun,
      type(element) == "number" and alternative.word == "integer" and tostring(element) or kind_of(element))
  end
  local all = either(alternatives)
  if alternatives[1].literal and (type(value) == "string" or type(value) == "number") then
    raise("%s: %s must be %s, got %s", caller, name, all, value_text(value))
  elseif type(value) == "number" and alternatives[1].text == "integer" then
    raise("%s: %s: expected an integer, got %s", caller, name, tostring(value))
  end
  local got = value == nil and "nothing" or kind_of(value)
  if alternatives[1].length and got == "table" then got = value_text(value) end
  raise("%s: %s: expected %s, got %s", caller, place, all, got)
end
