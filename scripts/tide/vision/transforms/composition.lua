-- Transforms made of others.
local draw = require "tide.internal.draw"
local raise = require "tide.internal.raise"
local transform = require "tide.vision.transforms.transform"
local define = transform.define

local composition = {}

local function check_transforms(self) transform.check_list(getmetatable(self).name, self.transforms) end

--- The results of all, one behind the other; each gets what the one before gave.
local function chain(transforms, ...)
  local results = table.pack(...)
  for _, change in ipairs(transforms) do results = table.pack(change(table.unpack(results, 1, results.n))) end
  return table.unpack(results, 1, results.n)
end

composition.Compose = define("Compose", {"transforms"}, {transforms = "table"}, check_transforms)

function composition.Compose:forward(...) return chain(self.transforms, ...) end

function composition.Compose:__tostring()
  local lines = {}
  for i, change in ipairs(self.transforms) do lines[i] = "  " .. tostring(change) .. "\n" end
  return "Compose(\n" .. table.concat(lines) .. ")"
end

composition.Lambda = define("Lambda", {"lambd"}, {lambd = "function"})

function composition.Lambda:forward(...) return self.lambd(...) end

composition.RandomApply = define("RandomApply", {"transforms", {"p", 0.5}}, {transforms = "table", p = "number"},
  check_transforms)

function composition.RandomApply:forward(...)
  if not draw.chance(self.p) then return ... end
  return chain(self.transforms, ...)
end

composition.RandomChoice = define("RandomChoice", {"transforms", {"p"}}, {transforms = "table", p = "table"},
  function(self)
    check_transforms(self)
    if #self.transforms == 0 then raise("RandomChoice: expected at least one transform") end
    if self.p and #self.p ~= #self.transforms then
      raise("RandomChoice: p: expected %d weights, got %d", #self.transforms, #self.p)
    end
  end)

function composition.RandomChoice:forward(...)
  local sum, weights = 0, self.p or {}
  for i = 1, #self.transforms do sum = sum + (weights[i] or 1) end
  local place, chosen = draw.uniform(0, sum), 0
  repeat
    chosen = chosen + 1
    place = place - (weights[chosen] or 1)
  until place < 0 or chosen == #self.transforms
  return self.transforms[chosen](...)
end

composition.RandomOrder = define("RandomOrder", {"transforms"}, {transforms = "table"}, check_transforms)

function composition.RandomOrder:forward(...)
  local order = draw.permutation(#self.transforms)
  for i, place in ipairs(order) do order[i] = self.transforms[place] end
  return chain(order, ...)
end

return composition
