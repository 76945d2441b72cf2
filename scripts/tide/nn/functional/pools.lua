-- tide.nn.functional: pools that are composed of others, and the way back from largest values.
local arguments = require "tide.internal.arguments"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- A number for each of `dims` dimensions.
local function each(name, what, value, dims)
  local list = {}
  if type(value) ~= "table" then
    for d = 1, dims do list[d] = of_kind(name, what, value, "number") end
    return list
  end
  if #value ~= dims then raise("%s: %s: expected %d numbers, got %d", name, what, dims, #value) end
  for d = 1, dims do list[d] = of_kind(name, ("%s[%d]"):format(what, d), value[d], "number") end
  return list
end

--- Sizes of the input that these pools came from.
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
    sizes[d] = asked and of_kind(name, "output_size", asked, "number") or usual
    if math.abs(sizes[d] - usual) >= stride[d] then
      raise("%s: an output of size %d does not fit: it is between %d and %d", name, sizes[d],
        usual - stride[d] + 1, usual + stride[d] - 1)
    end
  end
  return sizes
end

--- The pools of `dims` dimensions, as fields of F.
local function add_pools(F, dims)
  local unpool = ("max_unpool%dd"):format(dims)
  local read_unpool = arguments(unpool, {
    "x", "indices", "kernel_size", {"stride"}, {"padding", 0}, {"output_size"},
  }, {x = "tensor", indices = "tensor", output_size = "table"})

  --- Zeros with x at the positions that a max pool gave.
  F[unpool] = function(...)
    local given = read_unpool(...)
    local x, indices = given.x, given.indices
    local shape, own = table.concat(x.shape, ", "), table.concat(indices.shape, ", ")
    if x:dim() < dims + 1 or x:dim() > dims + 2 or shape ~= own then
      raise("%s: expected values and positions of one shape with %d or %d dimensions, got (%s) and (%s)",
        unpool, dims + 1, dims + 2, shape, own)
    end
    local sizes, area = unpooled_size(unpool, x, given, dims), 1
    local leading = table.move(x.shape, 1, x:dim() - dims, 1, {})
    for d = 1, dims do area = area * sizes[d] end
    local flat = table.move(leading, 1, #leading, 1, {})
    flat[#flat + 1] = area
    local y = x:new_zeros(flat):scatter(-1, indices:flatten(-dims), x:flatten(-dims))
    return y:reshape(table.move(sizes, 1, dims, #leading + 1, leading))
  end

  local power = ("lp_pool%dd"):format(dims)
  local read_power = arguments(power, {
    "x", "norm_type", "kernel_size", {"stride"}, {"ceil_mode", false},
  }, {x = "tensor", norm_type = "number"})

  --- The norm of each window: (sum of x^p)^(1/p).
  F[power] = function(...)
    local given = read_power(...)
    local count = 1
    for _, size in ipairs(each(power, "kernel_size", given.kernel_size, dims)) do
      count = count * size
    end
    local mean = F[("avg_pool%dd"):format(dims)](given.x:pow(given.norm_type), given.kernel_size,
      given.stride, 0, given.ceil_mode)
    return (mean:sign() * mean:abs():relu() * count):pow(1 / given.norm_type)
  end

  for _, kind in ipairs {"max_pool", "adaptive_max_pool"} do
    local name = ("%s%dd"):format(kind, dims)
    --- The pool with positions, whatever the options say.
    F[name .. "_with_indices"] = function(x, size, ...)
      local given, options = table.pack(...), {}
      local last = given[given.n]
      if type(last) == "table" and type(next(last)) == "string" then
        for key, value in pairs(last) do options[key] = value end
        given.n = given.n - 1
      end
      options.return_indices = true
      given[given.n + 1] = options
      return F[name](x, size, table.unpack(given, 1, given.n + 1))
    end
  end
end

--- Where the windows along one dimension begin, from 0: `share` (n, c) moves them by chance.
local function window_starts(share, input, output, kernel)
  local i = tide.arange(output, {dtype = share.dtype, device = share.device})
  local last = i:eq(output - 1)
  if output == 1 then return (share * 0):unsqueeze(-1) + (input - kernel) end
  local step = (input - kernel) / (output - 1)
  share = share:unsqueeze(-1)
  local start = ((i + share) * step):floor() - (share * step):floor()
  return tide.where(last, input - kernel, start)
end

--- Fractional max pooling of `dims` dimensions.
local function add_fractional(F, dims)
  local name = ("fractional_max_pool%dd"):format(dims)
  local read = arguments(name, {
    "x", "kernel_size", {"output_size"}, {"output_ratio"}, {"return_indices", false},
    {"_random_samples"},
  }, {x = "tensor", _random_samples = "tensor"})

  --- The largest value of windows whose places are drawn at random, so that they give any size.
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
        raise("%s: %d windows of %d do not fit into %d", name, sizes[d], kernel[d], input)
      end
    end
    local n, c = batch:size(1), batch:size(2)
    local drawn = given._random_samples or
      tide.rand({n, c, dims}, {dtype = x.dtype, device = x.device})
    -- Positions (n, c, output..., kernel...), collected from the slowest dimension on.
    local positions
    for d = 1, dims do
      -- Of planes, the first sample is the width's.
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

return function(F)
  for dims = 1, 3 do add_pools(F, dims) end
  for dims = 2, 3 do add_fractional(F, dims) end
end
