-- tide.nn.functional: pools composed of other ops, and the partial inverses of max pooling.
local F = require "tide.nn.functional"
local reader = require "tide.internal.declare.reader"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Expands a number to a list of `dims`, or checks the list.
local function each(name, what, value, dims)
  local list = {}
  if type(value) ~= "table" then
    for d = 1, dims do list[d] = of_type(name, what, value, "number") end
    return list
  end
  if #value ~= dims then raise("%s: %s: expected %d numbers, got %d", name, what, dims, #value) end
  for d = 1, dims do list[d] = of_type(name, ("%s[%d]"):format(what, d), value[d], "number") end
  return list
end

--- Sizes of the input of the max pooling that is inverted.
local function unpooled_size(name, x, given, dims)
  local kernel = each(name, "kernel_size", given.kernel_size, dims)
  local stride = each(name, "stride", given.stride or kernel, dims)
  local padding = each(name, "padding", given.padding, dims)
  local wanted = given.output_size
  local sizes = {}
  for d = 1, dims do
    local pooled = x:size(d - dims - 1)
    local usual = (pooled - 1) * stride[d] - 2 * padding[d] + kernel[d]
    local asked = wanted and wanted[#wanted - dims + d]
    sizes[d] = asked and of_type(name, "output_size", asked, "number") or usual
    if math.abs(sizes[d] - usual) >= stride[d] then
      raise("%s: an output of size %d is not possible: expected %d to %d", name, sizes[d],
        usual - stride[d] + 1, usual + stride[d] - 1)
    end
  end
  return sizes
end

--- Makes the function declared as `name`, which writes x to the positions from a max pool, with zeros elsewhere.
local function unpool(name, dims)
  local read, fn = reader(name), name:match "[%w_]+$"
  F[fn] = function(...)
    local given = read(...)
    local x, indices = given.x, given.indices
    local shape, own = table.concat(x.shape, ", "), table.concat(indices.shape, ", ")
    if x:dim() < dims + 1 or x:dim() > dims + 2 or shape ~= own then
      raise("%s: expected values and positions of the same shape with %d or %d dimensions, got (%s) and (%s)",
        fn, dims + 1, dims + 2, shape, own)
    end
    local sizes, area = unpooled_size(fn, x, given, dims), 1
    local leading = table.move(x.shape, 1, x:dim() - dims, 1, {})
    for d = 1, dims do area = area * sizes[d] end
    local flat = table.move(leading, 1, #leading, 1, {})
    flat[#flat + 1] = area
    local y = x:new_zeros(flat):scatter(-1, indices:flatten(-dims), x:flatten(-dims))
    return y:reshape(table.move(sizes, 1, dims, #leading + 1, leading))
  end
end

--- Partial inverse of max_pool1d, with zeros elsewhere.
---@use nn: x, indices, kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@param output_size integer[] = nil  size of the result; nil is (size - 1) stride - 2 padding + kernel_size
---@shapes x and indices (n, channels, size...) -> (n, channels, (size - 1) stride - 2 padding + kernel_size for each)
---@see nn.MaxUnpool2d nn.MaxPool2d F.max_unpool2d
---@example
--- local x = tide.ones(1, 3, 8)
--- local y, indices = F.max_pool1d(x, 2, {return_indices = true})
--- F.max_unpool1d(y, indices, 2).shape --> {1, 3, 8}
unpool("nn.functional.max_unpool1d", 1)

--- Partial inverse of max_pool2d, with zeros elsewhere.
---@like nn.functional.max_unpool1d
---@see nn.MaxUnpool2d nn.MaxPool2d
---@example
--- local x = tide.ones(1, 3, 8, 8)
--- local y, indices = F.max_pool2d(x, 2, {return_indices = true})
--- F.max_unpool2d(y, indices, 2).shape --> {1, 3, 8, 8}
unpool("nn.functional.max_unpool2d", 2)

--- Partial inverse of max_pool3d, with zeros elsewhere.
---@like nn.functional.max_unpool1d
---@example
--- local x = tide.ones(1, 3, 4, 4, 4)
--- local y, indices = F.max_pool3d(x, 2, {return_indices = true})
--- F.max_unpool3d(y, indices, 2).shape --> {1, 3, 4, 4, 4}
unpool("nn.functional.max_unpool3d", 3)

--- Makes the function declared as `name`: the norm of each window, (sum of x^p)^(1/p).
local function power(name, dims)
  local read, fn = reader(name), name:match "[%w_]+$"
  F[fn] = function(...)
    local given = read(...)
    local count = 1
    for _, size in ipairs(each(fn, "kernel_size", given.kernel_size, dims)) do count = count * size end
    local mean = F[("avg_pool%dd"):format(dims)](given.x:pow(given.norm_type), given.kernel_size,
      given.stride, 0, given.ceil_mode)
    return (mean:sign() * mean:abs():relu() * count):pow(1 / given.norm_type)
  end
end

--- The norm of each window of a sequence.
---@use nn: x, norm_type, kernel_size, stride = kernel_size, ceil_mode = false
---@formula y = (sum over the window of x^p)^(1/p)
---@shapes x (n, channels, size...) -> (n, channels, (size - kernel_size) // stride + 1 for each)
---@see nn.LPPool2d nn.AvgPool2d F.lp_pool2d
---@example
--- F.lp_pool1d(tide.ones(1, 3, 8), 2, 2).shape --> {1, 3, 4}
power("nn.functional.lp_pool1d", 1)

--- The norm of each window of an image.
---@like nn.functional.lp_pool1d
---@see nn.AvgPool2d
---@example
--- F.lp_pool2d(tide.ones(1, 3, 8, 8), 2, 2).shape --> {1, 3, 4, 4}
power("nn.functional.lp_pool2d", 2)

--- The norm of each window of a volume.
---@like nn.functional.lp_pool1d
---@example
--- F.lp_pool3d(tide.ones(1, 3, 4, 4, 4), 2, 2).shape --> {1, 3, 2, 2, 2}
power("nn.functional.lp_pool3d", 3)

--- First positions of the windows along one dimension, from 0, shifted by the random `share` (n, c).
local function window_starts(share, input, output, kernel)
  local i = tide.arange(output, {dtype = share.dtype, device = share.device})
  local last = i:eq(output - 1)
  if output == 1 then return (share * 0):unsqueeze(-1) + (input - kernel) end
  local step = (input - kernel) / (output - 1)
  share = share:unsqueeze(-1)
  local start = ((i + share) * step):floor() - (share * step):floor()
  return tide.where(last, input - kernel, start)
end

--- Makes the function declared as `declared`: max pooling with random windows, to any size.
local function fractional(declared, dims)
  local read, name = reader(declared), declared:match "[%w_]+$"
  F[name] = function(...)
    local given = read(...)
    local x = given.x
    if x:dim() ~= dims + 1 and x:dim() ~= dims + 2 then
      raise("%s: expected an input of %d or %d dimensions, got %d", name, dims + 1, dims + 2,
        x:dim())
    end
    for d = 2, x:dim() do
      if x:size(d) == 0 then
        raise("%s: there are no elements: (%s)", name, table.concat(x.shape, ", "))
      end
    end
    if (given.output_size == nil) == (given.output_ratio == nil) then
      raise("%s: either output_size or output_ratio is required", name)
    end
    local batch = x:dim() == dims + 1 and x:unsqueeze(1) or x
    local kernel = each(name, "kernel_size", given.kernel_size, dims)
    local ratio = given.output_ratio and each(name, "output_ratio", given.output_ratio, dims)
    local sizes = given.output_size and each(name, "output_size", given.output_size, dims) or {}
    for d = 1, dims do
      local input = batch:size(d + 2)
      sizes[d] = sizes[d] or math.floor(input * ratio[d])
      if sizes[d] < 1 or sizes[d] + kernel[d] - 1 > input then
        raise("%s: %d windows of size %d do not fit into size %d", name, sizes[d], kernel[d], input)
      end
    end
    local n, c = batch:size(1), batch:size(2)
    local drawn = given._random_samples or
      tide.rand({n, c, dims}, {dtype = x.dtype, device = x.device})
    -- Positions (n, c, output..., kernel...), computed from the slowest dimension to the fastest.
    local positions
    for d = 1, dims do
      -- In two dimensions, the first sample is for the width.
      local share = drawn:select(3, dims == 2 and 3 - d or d)
      local start = window_starts(share, batch:size(d + 2), sizes[d], kernel[d])
      local at = start:to("int64"):unsqueeze(-1) + tide.arange(kernel[d], {device = x.device})
      local shape = {n, c}
      for k = 1, 2 * dims do shape[k + 2] = 1 end
      shape[d + 2], shape[d + 2 + dims] = sizes[d], kernel[d]
      at = at:reshape(shape)
      positions = positions and positions * batch:size(d + 2) + at or at
    end
    positions = (positions + 1):flatten(-dims)
    local windows = batch:flatten(3):gather(3, positions:flatten(3)):reshape(positions.shape)
    local values, best = windows:max(-1)
    if x:dim() == dims + 1 then values = values:squeeze(1) end
    if not given.return_indices then return values end
    local found = positions:gather(-1, best:unsqueeze(-1)):squeeze(-1)
    return values, x:dim() == dims + 1 and found:squeeze(1) or found
  end
end

--- Max pooling with random windows, to any image size.
---@use nn: x, kernel_size, output_size = nil, output_ratio = nil, return_indices = false
---@param _random_samples tensor = nil  random numbers in 0..1 that position the windows
---@shapes x (n, channels, size...) -> (n, channels, output_size or floor(output_ratio size)...)
---@errors not exactly one of output_size and output_ratio is given
---@see nn.MaxPool2d
---@example
--- F.fractional_max_pool2d(tide.ones(1, 3, 9, 9), 2, {output_size = 5}).shape --> {1, 3, 5, 5}
fractional("nn.functional.fractional_max_pool2d", 2)

--- Max pooling with random windows, to any volume size.
---@like nn.functional.fractional_max_pool2d
---@see nn.FractionalMaxPool2d nn.MaxPool2d
---@example
--- F.fractional_max_pool3d(tide.ones(1, 1, 5, 5, 5), 2, {output_ratio = 0.6}).shape --> {1, 1, 3, 3, 3}
fractional("nn.functional.fractional_max_pool3d", 3)

return F
