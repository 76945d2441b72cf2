-- Plausible arguments: an op's own example is run, its call is intercepted, and
-- its arguments are varied before they reach the function.
--
-- The example creates everything again each time, so that no state passes from one call to the next.
local example = require "tide.reference.example"
local native = require "tide.native"
local tide = require "tide"
local values = require "random_values"

local examples = {}

local random = values.random
local function chance(percent) return random(100) <= percent end
local function pick(list) return list[random(#list)] end

local kTypes <const> = {"float32", "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8",
  "uint8", "bool"}
-- Every size of every tensor is multiplied by the same number, which most ops accept.
local kFactors <const> = {1, 1, 1, 1, 2, 2, 3, 5, 0}
local kMostElements <const> = 20000

--- Common properties of all tensors of a call.
local function new_variation()
  return {
    none = chance(10), -- tensors remain those of the example, with their relations
    type = chance(50) and pick(kTypes) or nil,
    factor = pick(kFactors),
    fresh = chance(50),
    special = chance(15),
    requires_grad = chance(30),
    odd = chance(25), -- some arguments are entirely different
    first = nil,      -- the type of the first tensor: other tensors of this type change with it
  }
end

--- The same values with other strides.
local function rearranged(x)
  local kind = x:dim() == 0 and 4 or random(6)
  if kind == 1 then return x:transpose(1, -1):contiguous():transpose(1, -1) end
  if kind == 2 then return tide.stack({x, x}, -1):select(-1, 1) end
  if kind == 3 then return tide.cat({x, x}, 1):narrow(1, 1, x:size(1)) end
  return x
end

local function with_specials(x)
  local number = pick {0 / 0, 1 / 0, -1 / 0, -0.0}
  return tide.where(tide.rand(x.shape, {device = x.device}):lt(0.3), x:full_like(number), x)
end

local function varied_tensor(x, variation)
  local required = x.requires_grad
  if variation.none or (required and not x.is_leaf) then return x end
  local y = x:detach()
  if variation.factor ~= 1 and y:dim() > 0 and y:numel() * variation.factor ^ y:dim() <= kMostElements then
    local repeats = {}
    for i = 1, y:dim() do repeats[i] = variation.factor end
    y = y:tile(repeats)
  end
  variation.first = variation.first or y.dtype
  -- Integers among floating arguments are indices, which remain in range unchanged.
  if y.dtype == variation.first then
    if variation.fresh and y:is_floating_point() then
      y = y:add(tide.rand(y.shape, {device = y.device}):sub(0.5):mul(pick {0.5, 2, 20}):to(y.dtype))
    end
    if variation.type then y = y:to(variation.type) end
    if variation.special and y:is_floating_point() then y = with_specials(y) end
  end
  y = rearranged(y)
  if y:is_floating_point() and (required or variation.requires_grad) then
    y = y:detach():requires_grad_()
  elseif rawequal(y, x) or required then
    y = y:clone()
  end
  return y
end

local varied

local function varied_list(list, variation)
  local copy = {}
  for key, value in pairs(list) do copy[key] = varied(value, variation) end
  return copy
end

function varied(value, variation)
  if tide.is_tensor(value) then return varied_tensor(value, variation) end
  if type(value) == "table" and not getmetatable(value) then return varied_list(value, variation) end
  if not variation.odd or not chance(30) then return value end
  if math.type(value) == "integer" then return value + random(-2, 2) end
  if type(value) == "boolean" then return chance(50) end
  if type(value) == "number" then return value * pick {0, 0.5, -1, 2} end
  return value
end

--- Other arguments in place of the example's.
local function varied_arguments(target, given)
  local variation, list = new_variation(), {n = given.n}
  for i = 1, given.n do
    local parameter = target.parameters[target.receiver and i - 1 or i]
    if variation.odd and parameter and chance(12) then
      list[i] = values.value_for(parameter.name)
    else
      list[i] = varied(given[i], variation)
    end
  end
  if target.options and variation.odd and chance(30) and type(list[list.n]) ~= "table" then
    list.n = list.n + 1
    list[list.n] = values.options_for(target.options)
  end
  return list
end

--- The table and the key for a name; nil for operators and methods of other objects.
local function place_of(called_as)
  local method = called_as:match "^x:(.*)$"
  if method then return native.methods, method end
  local path, name = called_as:match "^([%w_.]+)%.([%w_]+)$"
  local place = path and {tide = tide}
  for part in (path or ""):gmatch "[^.]+" do place = type(place) == "table" and place[part] or nil end
  if type(place) == "table" and type(place[name]) == "function" then return place, name end
end

--- Runs the target's example with varied arguments. call(function, arguments) replaces the
--- call in the example, and its results are used. Raises the errors of the example.
function examples.run(target, call)
  local code = example.split(target.example)
  local place, name = place_of(target.name)
  local original, caught = place and place[name], false
  if not original then return call(example.load(code, example.environment()), {n = 0}) end
  local function stand_in(...)
    if caught then return original(...) end
    caught = true
    place[name] = original
    return call(original, varied_arguments(target, table.pack(...)))
  end
  place[name] = stand_in
  local run = example.load(code, example.environment())
  local result = table.pack(pcall(run))
  place[name] = original
  if not result[1] then error(result[2], 0) end
  return caught
end

return examples
