-- Transforms composed of others.
local draw = require "tide.internal.draw"
local raise = require "tide.internal.raise"
local transform = require "tide.vision.transforms.transform"
local define = transform.define

local composition = {}

local function check_transforms(self) transform.check_list(getmetatable(self).name, self.transforms) end

--- Applies the transforms in sequence; each takes the results of the previous one.
local function chain(transforms, ...)
  local results = table.pack(...)
  for _, change in ipairs(transforms) do results = table.pack(change(table.unpack(results, 1, results.n))) end
  return table.unpack(results, 1, results.n)
end

--- Applies transforms in sequence.
---@use vision: transforms
---@example
--- local T = tide.vision.transforms
--- T.Compose{T.Pad(1), T.Pad(2)}(tide.ones(3, 2, 2)).shape --> {3, 8, 8}
composition.Compose = define("vision.transforms.Compose", check_transforms)

function composition.Compose:forward(...) return chain(self.transforms, ...) end

function composition.Compose:__tostring()
  local lines = {}
  for i, change in ipairs(self.transforms) do lines[i] = "  " .. tostring(change) .. "\n" end
  return "Compose(\n" .. table.concat(lines) .. ")"
end

--- Calls a function.
---@param lambd function  the function
---@example
--- tide.vision.transforms.Lambda(function(x) return x * 2 end)(tide.ones(1, 1, 1)) --> {{{2.0}}}
composition.Lambda = define("vision.transforms.Lambda")

function composition.Lambda:forward(...) return self.lambd(...) end

--- Applies all transforms with probability p (0.5), else none.
---@use vision: transforms, p = 0.5
---@example
--- tide.vision.transforms.RandomApply({tide.vision.transforms.Pad(1)}, 1)(tide.ones(3, 2, 2)).shape --> {3, 4, 4}
composition.RandomApply = define("vision.transforms.RandomApply", check_transforms)

function composition.RandomApply:forward(...)
  if not draw.chance(self.p) then return ... end
  return chain(self.transforms, ...)
end

--- Applies one random transform, with the weights p.
---@use vision: transforms
---@param p number[] >= 0 | tensor = nil  weight of each transform; nil: equal weights
---@example
--- local T = tide.vision.transforms
--- T.RandomChoice({T.Pad(1), T.Pad(2)}, {1, 0})(tide.ones(3, 2, 2)).shape --> {3, 4, 4}
composition.RandomChoice = define("vision.transforms.RandomChoice", function(self)
    check_transforms(self)
    if #self.transforms == 0 then raise("RandomChoice: expected at least one transform") end
    if self.p and #self.p ~= #self.transforms then
      raise("RandomChoice: p: expected %d weights, got %d", #self.transforms, #self.p)
    end
  end)

function composition.RandomChoice:forward(...)
  local sum, weights = 0, self.p or {}
  for i = 1, #self.transforms do sum = sum + (weights[i] or 1) end
  local remaining, chosen = draw.uniform(0, sum), 0
  repeat
    chosen = chosen + 1
    remaining = remaining - (weights[chosen] or 1)
  until remaining < 0 or chosen == #self.transforms
  return self.transforms[chosen](...)
end

--- Applies all transforms in random order.
---@use vision: transforms
---@example
--- local T = tide.vision.transforms
--- T.RandomOrder{T.Pad(1), T.Pad(2)}(tide.ones(3, 2, 2)).shape --> {3, 8, 8}
composition.RandomOrder = define("vision.transforms.RandomOrder", check_transforms)

function composition.RandomOrder:forward(...)
  local order = draw.permutation(#self.transforms)
  for i, index in ipairs(order) do order[i] = self.transforms[index] end
  return chain(order, ...)
end

return composition
