-- Resampling: Resize with all its modes and coordinate transformations, Upsample, GridSample.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {host = {Resize = {2, 3, 4}, Upsample = {2}, AffineGrid = {2}}}

ops.attributes = {
  AffineGrid = "align_corners",
  GridSample = "align_corners mode padding_mode",
  Resize = "antialias axes coordinate_transformation_mode cubic_coeff_a "
    .. "exclude_outside extrapolation_value keep_aspect_ratio_policy mode nearest_mode",
  Upsample = "mode scales",
}

--- Positions and weights are computed one by one for each size.
local kMaxSize <const> = 1 << 20

--- The input coordinate, from 0, of output i of `to`, from scale, sizes and region {start, end}.
local coordinates = {
  half_pixel = function(i, scale) return (i + 0.5) / scale - 0.5 end,
  pytorch_half_pixel = function(i, scale, _, to) return to > 1 and (i + 0.5) / scale - 0.5 or 0 end,
  tf_half_pixel_for_nn = function(i, scale) return (i + 0.5) / scale end,
  half_pixel_symmetric = function(i, scale, from, to)
    local middle = from / 2 * (1 - to / (from * scale))
    return middle + (i + 0.5) / scale - 0.5
  end,
  asymmetric = function(i, scale) return i / scale end,
  -- As in the standard's own tests, uses the unrounded size.
  align_corners = function(i, scale, from, to)
    return to > 1 and i * (from - 1) / (from * scale - 1) or 0
  end,
  tf_crop_and_resize = function(i, _, from, to, region)
    local first, last = region[1] * (from - 1), region[2] * (from - 1)
    return to > 1 and first + i * (last - first) / (to - 1) or 0.5 * (first + last)
  end,
}

local roundings = {
  floor = math.floor,
  ceil = math.ceil,
  round_prefer_floor = function(x) return math.ceil(x - 0.5) end,
  round_prefer_ceil = function(x) return math.floor(x + 0.5) end,
}

--- The first input element of an output at x, and the weights of the elements from there.
local samplers = {}

function samplers.nearest(x, a) return roundings[a.nearest_mode or "round_prefer_floor"](x), {1.0} end

--- Weights of a kernel widened by the scale, by the distance of the elements from x.
local function antialiased(x, scale, reach, weight)
  local start = math.floor(-reach / scale) + 1
  local list, sum, first = {}, 0, math.floor(x)
  for k = start, start + 2 * (reach - start) - 1 do
    list[#list + 1] = weight(math.abs((first + k - x) * scale))
    sum = sum + list[#list]
  end
  for t, share in ipairs(list) do list[t] = share / sum end
  return first + start, list
end

function samplers.linear(x, attributes, scale)
  if attributes.antialias == 1 and scale < 1 then
    return antialiased(x, scale, 1, function(d) return math.max(0, 1 - d) end)
  end
  local first = math.floor(x)
  return first, {1 - (x - first), x - first}
end

function samplers.cubic(x, attributes, scale)
  local a, first = attributes.cubic_coeff_a or -0.75, math.floor(x)
  local r = x - first
  local function near(d) return ((a + 2) * d - (a + 3)) * d * d + 1 end
  local function far(d) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a end
  if attributes.antialias == 1 and scale < 1 then
    return antialiased(x, scale, 2, function(d) return d <= 1 and near(d) or d < 2 and far(d) or 0 end)
  end
  return first - 1, {far(r + 1), near(r), near(1 - r), far(2 - r)}
end

--- For each sample a list of positions from 1 and one of weights; and whether x is outside the input.
local function plan(a, mode, from, to, scale, region)
  local coordinate = coordinates[a.coordinate_transformation_mode or "half_pixel"]
  local positions, weights, outside = {}, {}, {}
  for i = 0, to - 1 do
    local x = coordinate(i, scale, from, to, region)
    outside[i + 1] = x < 0 or x > from - 1
    local first, shares = samplers[mode](x, a, scale)
    local sum = 0
    for t, share in ipairs(shares) do
      local at = math.tointeger(first) + t - 1
      if a.exclude_outside == 1 and (at < 0 or at >= from) then shares[t], share = 0.0, 0.0 end
      sum = sum + share
      positions[t], weights[t] = positions[t] or {}, weights[t] or {}
      positions[t][i + 1] = math.max(0, math.min(at, from - 1)) + 1
    end
    for t, share in ipairs(shares) do
      weights[t][i + 1] = a.exclude_outside == 1 and share / sum or share
    end
  end
  return positions, weights, outside
end

--- Resamples one dimension.
local function resize_dim(x, dim, a, mode, to, scale, region)
  local positions, weights, outside = plan(a, mode, x:size(dim), to, scale, region)
  local shape = values.filled(x:dim(), 1)
  shape[dim] = to
  local function column(list, dtype)
    return tide.tensor(list, {dtype = dtype, device = x.device}):reshape(shape)
  end
  local y
  for t, list in ipairs(positions) do
    local picked = x:index_select(dim, tide.tensor(list, {device = x.device}))
    if mode ~= "nearest" then picked = picked * column(weights[t], x.dtype) end
    y = y and y + picked or picked
  end
  if a.coordinate_transformation_mode ~= "tf_crop_and_resize" then return y end
  return tide.where(column(outside, "bool"), a.extrapolation_value or 0.0, y)
end

--- The sizes of the result and the scales; `sizes` may be nil.
local function targets(x, scales, sizes)
  local shape = x.shape
  local given = sizes or scales
  if #given ~= #shape then raise("expected %d scales or sizes, got %d", #shape, #given) end
  local to, by = {}, {}
  for d, from in ipairs(shape) do
    if not sizes and not (scales[d] > 0 and scales[d] < 1 << 31) then
      raise("scale %g of dimension %d", scales[d], d - 1)
    end
    to[d] = sizes and sizes[d] or math.floor(from * scales[d])
    by[d] = sizes and to[d] / from or scales[d]
    if to[d] < 1 or from < 1 or to[d] > kMaxSize then
      raise("size %d cannot become %d", from, to[d])
    end
  end
  return to, by
end

local function resize(x, attributes, scales, sizes, roi)
  local mode = attributes.mode or "nearest"
  if not samplers[mode] then raise("the mode '%s' is not supported", mode) end
  if not coordinates[attributes.coordinate_transformation_mode or "half_pixel"] then
    raise("coordinate_transformation_mode '%s' is not supported",
      attributes.coordinate_transformation_mode)
  end
  local to, by = targets(x, scales, sizes)
  local is_entire = attributes.coordinate_transformation_mode ~= "tf_crop_and_resize"
  local dtype = x.dtype
  local is_mixed = mode ~= "nearest" and not x:is_floating_point() -- weights are fractional
  if is_mixed then x = x:to("float32") end
  for d, size in ipairs(to) do
    local region = not is_entire and {roi[d], roi[d + #to]}
    if size ~= x:size(d) or by[d] ~= 1 or region and (region[1] ~= 0 or region[2] ~= 1) then
      x = resize_dim(x, d, attributes, mode, size, by[d], region)
    end
  end
  if not is_mixed then return x end
  local range = tide.iinfo(dtype)
  return x:clamp(range.min, range.max):to(dtype)
end

--- Before opset 11, coordinates are "asymmetric", and nearest rounds down.
local function old_attributes(node)
  return {
    mode = node.attributes.mode, coordinate_transformation_mode = "asymmetric",
    nearest_mode = "floor",
  }
end

--- Extends a list for some axes to all axes, with `usual` for the others; `roi`: two values each.
local function of_all(list, axes, usual, rank, roi)
  if not list or #list == 0 or not axes then return list end
  local all = type(usual) == "table" and table.move(usual, 1, rank, 1, {}) or values.filled(rank, usual)
  if roi then table.move(values.filled(rank, 1), 1, rank, rank + 1, all) end
  for i, dim in ipairs(values.dims(axes, rank)) do
    all[dim] = list[i]
    if roi then all[rank + dim] = list[#axes + i] end
  end
  return all
end

--- Sizes with one scale for all axes, the smallest or largest of theirs.
local function with_aspect(x, sizes, policy, axes)
  local dims, scale = axes and values.dims(axes, x:dim()) or nil, nil
  if not dims then
    dims = {}
    for d = 1, x:dim() do dims[d] = d end
  end
  local choose = policy == "not_larger" and math.min or math.max
  for _, d in ipairs(dims) do
    local own = sizes[d] / x:size(d)
    scale = scale and choose(scale, own) or own
  end
  local kept = table.move(sizes, 1, #sizes, 1, {})
  for _, d in ipairs(dims) do kept[d] = math.floor(x:size(d) * scale + 0.5) end
  return kept
end

function ops.Resize(node, x, roi, scales, sizes)
  if node.version < 11 then return resize(x, old_attributes(node), values.list(roi)) end
  local a, rank = node.attributes, x:dim()
  local wanted = of_all(values.list(sizes), a.axes, x.shape, rank)
  if wanted and #wanted == 0 then wanted = nil end
  local policy = a.keep_aspect_ratio_policy or "stretch"
  if wanted and policy ~= "stretch" then wanted = with_aspect(x, wanted, policy, a.axes) end
  return resize(x, a, of_all(values.list(scales), a.axes, 1.0, rank), wanted,
    of_all(values.list(roi), a.axes, 0.0, rank, true))
end

function ops.Upsample(node, x, scales)
  return resize(x, old_attributes(node), values.list(scales) or node.attributes.scales)
end

-- The names of modes since version 20.
local kGridModes <const> = {linear = "bilinear", cubic = "bicubic"}

function ops.AffineGrid(node, theta, size)
  return F.affine_grid(theta, values.list(size), node.attributes.align_corners == 1)
end

function ops.GridSample(node, x, grid)
  local a = node.attributes
  return F.grid_sample(x, grid, {
    mode = kGridModes[a.mode] or a.mode or "bilinear", padding_mode = a.padding_mode or "zeros",
    align_corners = a.align_corners == 1,
  })
end

return ops
