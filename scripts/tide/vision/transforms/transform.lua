-- The base class of tide.vision.transforms: objects are called with an image, and their arguments are
-- fields.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local draw = require "tide.internal.draw"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local Transform = class "Transform"

function Transform:__call(...) return self:forward(...) end

local function text_of(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" or getmetatable(value) then return tostring(value) end
  local parts = {}
  for i, entry in ipairs(value) do parts[i] = text_of(entry) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

function Transform:__tostring()
  local made, parts = getmetatable(self), {}
  for _, name in ipairs(made.option_names()) do
    if self[name] ~= nil then parts[#parts + 1] = ("%s = %s"):format(name, text_of(self[name])) end
  end
  return ("%s(%s)"):format(made.name, table.concat(parts, ", "))
end

local transform = {Transform = Transform}

--- Makes the class declared as `name`, whose objects store their arguments. The method `prepare` checks and converts
--- them.
function transform.define(name, prepare)
  local made, read, _, option_names = define(name, Transform)
  made.option_names = option_names
  function made:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
    if prepare then prepare(self) end
  end
  return made
end

--- Makes the class declared as `name`, which calls change(self, image) with the probability p, one of its arguments,
--- and otherwise returns the image unchanged.
function transform.define_random(name, change)
  local made = transform.define(name)
  function made:forward(image)
    if not draw.chance(self.p) then return image end
    return change(self, image)
  end
  return made
end

--- A pair {from, to}: the given pair, or {-value, value} for a number.
function transform.range(caller, name, value)
  if type(value) == "number" then
    if value < 0 then raise("%s: %s must not be negative, got %s", caller, name, tostring(value)) end
    return {-value, value}
  end
  if type(value) ~= "table" or #value ~= 2 then raise("%s: %s: expected a number or {from, to}", caller, name) end
  return value
end

--- A uniform random number from a pair {from, to}.
function transform.uniform(range) return draw.uniform(range[1], range[2]) end

--- The sides of a rectangle whose area, as a fraction of `area`, and whose aspect ratio are drawn from pairs: integers;
--- the first is the second times the ratio.
function transform.random_sides(area, scale, ratio)
  area = area * transform.uniform(scale)
  local aspect = math.exp(draw.uniform(math.log(ratio[1]), math.log(ratio[2])))
  return math.floor(math.sqrt(area * aspect) + 0.5), math.floor(math.sqrt(area / aspect) + 0.5)
end

--- Raises an error unless `value` is a list of callable values.
function transform.check_list(caller, value)
  if type(value) ~= "table" or #value == 0 and next(value) ~= nil then
    raise("%s: expected a list of transforms", caller)
  end
  for i, entry in ipairs(value) do
    local meta = debug.getmetatable(entry)
    if type(entry) ~= "function" and not (type(meta) == "table" and meta.__call) or tide.is_tensor(entry) then
      raise("%s: transform %d is not callable: got %s", caller, i, kind_of(entry))
    end
  end
end

return transform
