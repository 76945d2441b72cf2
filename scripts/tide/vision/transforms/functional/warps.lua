-- Warps images: rotation, affine and perspective maps, elastic transforms; and blurs them.
local checked = require "tide.internal.declare.checked"
local F = require("tide.native").functional
local reader = require "tide.internal.declare.reader"
local picture = require "tide.vision.transforms.picture"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

local warps = {}

--- Samples the image at a grid (1, height, width, 2) of coordinates, -1..1 from edge to edge. Pixels
--- outside are `fill`, a number or one for each channel, or black.
local function sampled(caller, image, grid, interpolation, fill)
  picture.check(caller, image)
  if interpolation ~= "nearest" and interpolation ~= "bilinear" then
    raise("%s: interpolation: expected bilinear or nearest, got '%s'", caller, tostring(interpolation))
  end
  local _, _, channels = picture.size(image)
  if type(fill) == "table" and #fill ~= 1 and #fill ~= channels then
    raise("%s: fill: expected 1 or %d numbers, got %d", caller, channels, #fill)
  end
  return picture.as_batch(image, function(batch)
    local grids = grid:to(batch.dtype):expand(batch:size(1), -1, -1, -1)
    local options = {mode = interpolation, padding_mode = "zeros", align_corners = false}
    local result = F.grid_sample(batch, grids, options)
    if fill == nil then return result end
    local ones = tide.ones({1, 1, batch:size(3), batch:size(4)}, {dtype = batch.dtype, device = batch.device})
    local inside = F.grid_sample(ones, grid:to(batch.dtype), options)
    local list = type(fill) == "table" and fill or {fill}
    local outside = tide.tensor(list, {dtype = batch.dtype, device = batch.device}):reshape(1, -1, 1, 1)
    if interpolation == "nearest" then return tide.where(inside:lt(0.5), outside, result) end
    return result * inside + (1 - inside) * outside
  end)
end

--- The values first, first + 1, ... for a row or column of pixels.
local function line(count, first, image, ...)
  return (tide.arange(count, {dtype = picture.computed_type(image), device = image.device}) + first):reshape(...)
end

--- The sampling grid of an affine map of pixels relative to the center, for a result of height x width.
local function affine_grid(image, matrix, height, width)
  local own_height, own_width = picture.size(image)
  local x = line(width, 0.5 - width / 2, image, 1, 1, width)
  local y = line(height, 0.5 - height / 2, image, 1, height, 1)
  local function coordinate(a, b, c, half) return x * (a / half) + y * (b / half) + c / half end
  return tide.stack({
    coordinate(matrix[1], matrix[2], matrix[3], own_width / 2),
    coordinate(matrix[4], matrix[5], matrix[6], own_height / 2),
  }, -1)
end

--- The inverse of rotation, shear, scale and translation around a center, as in torchvision.
local function inverse_affine(center, angle, translate, scale, shear)
  local turn, sx, sy = math.rad(angle), math.rad(shear[1]), math.rad(shear[2])
  local a = math.cos(turn - sy) / math.cos(sy)
  local b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
  local c = math.sin(turn - sy) / math.cos(sy)
  local d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
  local m = {d / scale, -b / scale, 0, -c / scale, a / scale, 0}
  local x, y = -center[1] - translate[1], -center[2] - translate[2]
  m[3] = m[1] * x + m[2] * y + center[1]
  m[6] = m[4] * x + m[5] * y + center[2]
  return m
end

--- Raises an error unless `value` is a list of two numbers.
local function two_numbers(caller, name, value)
  if #of_type(caller, name, value, "table") ~= 2 then raise("%s: %s: expected a list of two numbers", caller, name) end
  for i = 1, 2 do of_type(caller, ("%s[%d]"):format(name, i), value[i], "number") end
  return value
end

--- Converts a center relative to the upper left corner to one relative to the image center.
local function center_from_middle(caller, image, center)
  if not center then return {0, 0} end
  two_numbers(caller, "center", center)
  local height, width = picture.size(image)
  return {center[1] - width / 2, center[2] - height / 2}
end

--- The size of a result that holds the entire transformed image.
local function expanded_size(height, width, m)
  local least, most = {math.huge, math.huge}, {-math.huge, -math.huge}
  for _, x in ipairs {-width / 2, width / 2} do
    for _, y in ipairs {-height / 2, height / 2} do
      for i, edge in ipairs {m[1] * x + m[2] * y + m[3] + width / 2, m[4] * x + m[5] * y + m[6] + height / 2} do
        least[i], most[i] = math.min(least[i], edge), math.max(most[i], edge)
      end
    end
  end
  -- Differences from an integer below 1e-4 are rounding errors.
  local function span(i) return math.ceil(most[i] - 1e-4) - math.floor(least[i] + 1e-4) end
  return span(2), span(1)
end

--- Rotates counterclockwise by degrees; expand enlarges the result to hold the entire image.
---@use vision: img
---@param angle number  degrees, counterclockwise
---@use vision: interpolation = "nearest", expand = false, center = nil, fill = nil
---@example
--- tide.vision.transforms.functional.rotate(tide.ones(3, 4, 6), 90, {expand = true}).shape --> {3, 6, 4}
warps.rotate = checked("vision.transforms.functional.rotate", function(img, angle, interpolation, expand, center, fill)
  local image = picture.check("rotate", img)
  local matrix = inverse_affine(center_from_middle("rotate", image, center), -angle, {0, 0}, 1, {0, 0})
  local height, width = picture.size(image)
  if expand then height, width = expanded_size(height, width, matrix) end
  return sampled("rotate", image, affine_grid(image, matrix, height, width), interpolation, fill)
end)

--- Rotates clockwise by degrees, scales, shears and translates by {x, y}; nearest or bilinear.
---@use vision: img
---@param angle number  degrees, clockwise
---@param translate number[]  shift {x, y} in pixels
---@param scale number  scale factor
---@param shear number | number[]  shear angles {x, y} in degrees; one number is x
---@use vision: interpolation = "nearest", fill = nil, center = nil
---@example
--- tide.vision.transforms.functional.affine(tide.tensor{{{1.0, 2.0}}}, 0, {1, 0}, 1, 0) --> {{{0.0, 1.0}}}
local read_affine = reader "vision.transforms.functional.affine"

function warps.affine(...)
  local given = read_affine(...)
  local image = picture.check("affine", given.img)
  two_numbers("affine", "translate", given.translate)
  if given.scale <= 0 then raise("affine: scale must be positive, got %s", tostring(given.scale)) end
  local shear = given.shear
  if type(shear) == "number" then shear = {shear, 0} end
  if #of_type("affine", "shear", shear, "table") == 1 then shear = {shear[1], shear[1]} end
  two_numbers("affine", "shear", shear)
  local center = center_from_middle("affine", image, given.center)
  local matrix = inverse_affine(center, given.angle, given.translate, given.scale, shear)
  local height, width = picture.size(image)
  return sampled("affine", image, affine_grid(image, matrix, height, width), given.interpolation, given.fill)
end

--- Solves a small linear system with rows {a1, ..., an, b} by elimination.
local function solve(rows)
  local n = #rows
  for i = 1, n do
    local pivot = i
    for k = i + 1, n do
      if math.abs(rows[k][i]) > math.abs(rows[pivot][i]) then pivot = k end
    end
    rows[i], rows[pivot] = rows[pivot], rows[i]
    for k = 1, n do
      local factor = k ~= i and rows[k][i] / rows[i][i] or 0
      for j = i, factor ~= 0 and n + 1 or 0 do rows[k][j] = rows[k][j] - factor * rows[i][j] end
    end
  end
  local solution = {}
  for i = 1, n do solution[i] = rows[i][n + 1] / rows[i][i] end
  return solution
end

--- Perspective transform that maps four points {x, y} to four others.
---@use vision: img
---@param startpoints number[][]  the original points {x, y}
---@param endpoints number[][]  the transformed points {x, y}
---@use vision: interpolation = "bilinear", fill = nil
---@example
--- local p = {{0, 0}, {3, 0}, {3, 3}, {0, 3}}
--- tide.vision.transforms.functional.perspective(tide.ones(1, 4, 4), p, p).shape --> {1, 4, 4}
local read_perspective = reader "vision.transforms.functional.perspective"

function warps.perspective(...)
  local given = read_perspective(...)
  local image = picture.check("perspective", given.img)
  local equations = {}
  for i = 1, 4 do
    local to, from = given.endpoints[i], given.startpoints[i]
    if type(to) ~= "table" or type(from) ~= "table" then
      raise("perspective: expected four points {x, y} at the start and at the end")
    end
    two_numbers("perspective", ("startpoints[%d]"):format(i), from)
    two_numbers("perspective", ("endpoints[%d]"):format(i), to)
    local x, y = to[1], to[2]
    equations[2 * i - 1] = {x, y, 1, 0, 0, 0, -from[1] * x, -from[1] * y, from[1]}
    equations[2 * i] = {0, 0, 0, x, y, 1, -from[2] * x, -from[2] * y, from[2]}
  end
  local c = solve(equations)
  local height, width = picture.size(image)
  local x, y = line(width, 0.5, image, 1, 1, width), line(height, 0.5, image, 1, height, 1)
  local divisor = x * c[7] + y * c[8] + 1
  local function coordinate(a, b, first, half) return (x * (a / half) + y * (b / half) + first / half) / divisor - 1 end
  local grid = tide.stack({coordinate(c[1], c[2], c[3], width / 2), coordinate(c[4], c[5], c[6], height / 2)}, -1)
  return sampled("perspective", image, grid, given.interpolation, given.fill)
end

--- Samples each pixel at a position shifted by the displacement (1, height, width, 2), in units of half the size.
---@use vision: img
---@param displacement tensor  shift of each pixel, (1, height, width, 2)
---@use vision: interpolation = "bilinear", fill = nil
---@example
--- local F = tide.vision.transforms.functional
--- F.elastic_transform(tide.ones(1, 2, 2), tide.zeros(1, 2, 2, 2)) --> {{{1.0, 1.0}, {1.0, 1.0}}}
local read_elastic = reader "vision.transforms.functional.elastic_transform"

function warps.elastic_transform(...)
  local given = read_elastic(...)
  local image = picture.check("elastic_transform", given.img)
  local height, width = picture.size(image)
  local shape = given.displacement.shape
  if #shape ~= 4 or shape[1] ~= 1 or shape[2] ~= height or shape[3] ~= width or shape[4] ~= 2 then
    raise("elastic_transform: displacement: expected shape (1, %d, %d, 2), got (%s)", height, width,
      table.concat(shape, ", "))
  end
  local grid = affine_grid(image, {1, 0, 0, 0, 1, 0}, height, width)
  return sampled("elastic_transform", image, grid + given.displacement:to(image.device), given.interpolation,
    given.fill)
end

--- Blurs with a Gaussian kernel of kernel_size {x, y} and standard deviation sigma.
---@use vision: img, kernel_size, sigma = nil
---@example
--- tide.vision.transforms.functional.gaussian_blur(tide.ones(3, 5, 5), 3).shape --> {3, 5, 5}
local read_blur = reader "vision.transforms.functional.gaussian_blur"

--- A Gaussian kernel of `count` weights with the sum 1.
local function gaussian(count, sigma, batch)
  local weights, sum = {}, 0
  for i = 1, count do
    weights[i] = math.exp(-0.5 * ((i - (count + 1) / 2) / sigma) ^ 2)
    sum = sum + weights[i]
  end
  for i = 1, count do weights[i] = weights[i] / sum end
  return tide.tensor(weights, {dtype = batch.dtype, device = batch.device})
end

function warps.gaussian_blur(...)
  local given = read_blur(...)
  local image = picture.check("gaussian_blur", given.img)
  local kx, ky = picture.pair("gaussian_blur", "kernel_size", given.kernel_size)
  for _, size in ipairs {kx, ky} do
    if size % 2 ~= 1 or size < 1 then raise("gaussian_blur: kernel_size must be odd and positive, got %s", size) end
  end
  local sx, sy = 0.15 * kx + 0.35, 0.15 * ky + 0.35
  if given.sigma ~= nil then sx, sy = picture.pair("gaussian_blur", "sigma", given.sigma) end
  if sx <= 0 or sy <= 0 then raise("gaussian_blur: sigma must be positive") end
  return picture.as_batch(image, function(batch)
    local n, channels, height, width = table.unpack(batch.shape)
    local x = batch:reshape(n * channels, 1, height, width)
    x = F.pad(x, {kx // 2, kx // 2, ky // 2, ky // 2}, "reflect")
    x = F.conv2d(x, gaussian(kx, sx, batch):reshape(1, 1, 1, kx))
    return F.conv2d(x, gaussian(ky, sy, batch):reshape(1, 1, ky, 1)):reshape(n, channels, height, width)
  end)
end

return warps
