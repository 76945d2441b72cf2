-- tide.gradient: the gradient of a function, from samples of its values.
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Estimates the gradient along each dimension by finite differences; returns a table.
---@param x tensor  the tensor
---@param spacing number | tensor | any[] = 1  distance of the elements, or their coordinates
---@param dim integer | integer[] = nil  dimensions, from 1; nil is all
---@param edge_order integer = 1  1 or 2: order of accuracy at the ends
---@example
--- tide.gradient(tide.tensor{1.0, 4, 9, 16}) --> {{3.0, 4.0, 6.0, 7.0}}
local read = reader "gradient"

local function check_spacing(value)
  if type(value) == "number" or tide.is_tensor(value) then return end
  raise("gradient: spacing: expected a number, a tensor of coordinates or a list of these, got %s", kind_of(value))
end

--- Distances between neighbors along dim, in a shape that broadcasts against x.
local function distances(x, dim, spacing)
  local n = x:size(dim)
  local shape = {}
  for d = 1, x:dim() do shape[d] = d == dim and n - 1 or 1 end
  if not tide.is_tensor(spacing) then
    return x:new_full(shape, spacing)
  end
  if spacing:dim() ~= 1 or #spacing ~= n then
    raise("gradient: dimension %d requires %d coordinates, got (%s)", dim, n,
      table.concat(spacing.shape, ", "))
  end
  return (spacing:narrow(1, 2, n - 1) - spacing:narrow(1, 1, n - 1)):reshape(shape)
end

local kNarrow <const> = {float8_e4m3fn = true, float8_e5m2 = true, float16 = true, bfloat16 = true}

--- Converts narrow types to float32, to avoid cancellation between neighbors.
local function unrounded(x) return kNarrow[x.dtype] and x:float() or x end

--- The slope at one end, from its nearest two or three values `near`, `middle` and `far`, with distances h and k
--- between them. `sign` is -1 at the far end.
local function end_slope(near, middle, far, h, k, sign)
  if not far then return (middle - near) / h * sign end
  local a, b, c = -(2 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k))
  return (near * a + middle * b + far * c) * sign
end

local function slope(x, dim, spacing, edge_order)
  local n = x:size(dim)
  if n < edge_order + 1 then
    raise("gradient: expected %d elements in dimension %d, got %d", edge_order + 1, dim, n)
  end
  local h = distances(x, dim, spacing)
  local function at(i) return x:narrow(dim, i, 1) end
  local function step(i) return h:narrow(dim, i, 1) end
  local three = edge_order == 2
  local parts = {
    end_slope(at(1), at(2), three and at(3), step(1), three and step(2), 1),
  }
  if n > 2 then
    local before, after = x:narrow(dim, 1, n - 2), x:narrow(dim, 3, n - 2)
    if tide.is_tensor(spacing) then
      -- The slopes on both sides, weighted by the other side's distance.
      local left, right = h:narrow(dim, 1, n - 2), h:narrow(dim, 2, n - 2)
      local here = x:narrow(dim, 2, n - 2)
      parts[2] = ((here - before) / left * right + (after - here) / right * left) / (left + right)
    else
      parts[2] = (after - before) / (2 * spacing)
    end
  end
  parts[#parts + 1] = end_slope(at(n), at(n - 1), three and at(n - 2), step(n - 1),
    three and step(n - 2), -1)
  return tide.cat(parts, dim)
end

--- `spacing` may be a table with one entry for each dimension.
local function gradient(...)
  local given = read(...)
  local x, dims = given.x, given.dim
  if not x:is_floating_point() then x = x:to(tide.get_default_dtype()) end
  if dims == nil then
    dims = {}
    for d = 1, x:dim() do dims[d] = d end
  elseif type(dims) ~= "table" then
    dims = {dims}
  end
  if given.edge_order ~= 1 and given.edge_order ~= 2 then
    raise("gradient: edge_order must be 1 or 2, got %s", tostring(given.edge_order))
  end
  local several = type(given.spacing) == "table"
  if several and #given.spacing ~= #dims then
    raise("gradient: got %d spacings for %d dimensions", #given.spacing, #dims)
  end
  local slopes, seen = {}, {}
  for i, dim in ipairs(dims) do
    dim = of_type("gradient", "dim", dim, "integer")
    if dim < 0 then dim = dim + x:dim() + 1 end
    if seen[dim] then raise("gradient: dimension %d is given twice", dim) end
    seen[dim] = true
    local spacing = several and given.spacing[i] or given.spacing
    check_spacing(spacing)
    local type = x.dtype
    if tide.is_tensor(spacing) then
      type = tide.promote_types(type, spacing.dtype)
      spacing = unrounded(spacing)
    end
    slopes[i] = slope(unrounded(x), dim, spacing, given.edge_order):to(type)
  end
  return slopes
end

return gradient
