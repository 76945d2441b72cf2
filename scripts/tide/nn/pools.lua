-- Pooling layers, over one, two and three dimensions.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local sizes = require "tide.nn.internal.sizes"

local pools = {}

--- Makes the class `name` of F[fn](x, options...), the options in the order of `parameters`.
local function pool(name, fn, parameters)
  local Pool = class(name, Module)
  local read, names = arguments(name, parameters), {}
  for i, entry in ipairs(parameters) do names[i] = type(entry) == "table" and entry[1] or entry end
  Pool:optional(table.unpack(names))

  function Pool:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
  end

  function Pool:forward(x)
    local values = {}
    for i, key in ipairs(names) do values[i] = self[key] end
    return F[fn](x, table.unpack(values, 1, #names))
  end

  local first = names[1]
  function Pool:describe()
    local size = self[first]
    return type(size) == "table" and sizes.text(size) or tostring(size)
  end

  pools[name] = Pool
end

for dims = 1, 3 do
  pool(("MaxPool%dd"):format(dims), ("max_pool%dd"):format(dims), {
    "kernel_size", {"stride"}, {"padding", 0}, {"dilation", 1}, {"ceil_mode", false},
    {"return_indices", false},
  })
  local average = {"kernel_size", {"stride"}, {"padding", 0}, {"ceil_mode", false},
    {"count_include_pad", true}}
  if dims > 1 then average[#average + 1] = {"divisor_override"} end
  pool(("AvgPool%dd"):format(dims), ("avg_pool%dd"):format(dims), average)
  pool(("AdaptiveAvgPool%dd"):format(dims), ("adaptive_avg_pool%dd"):format(dims), {"output_size"})
  pool(("AdaptiveMaxPool%dd"):format(dims), ("adaptive_max_pool%dd"):format(dims),
    {"output_size", {"return_indices", false}})
end
for dims = 1, 3 do
  pool(("LPPool%dd"):format(dims), ("lp_pool%dd"):format(dims),
    {"norm_type", "kernel_size", {"stride"}, {"ceil_mode", false}})
end

for dims = 2, 3 do
  pool(("FractionalMaxPool%dd"):format(dims), ("fractional_max_pool%dd"):format(dims), {
    "kernel_size", {"output_size"}, {"output_ratio"}, {"return_indices", false},
    {"_random_samples"},
  })
end

-- The way back from a max pool's values and positions: unpool(x, indices, output_size).
for dims = 1, 3 do
  local name = ("MaxUnpool%dd"):format(dims)
  local MaxUnpool, fn = class(name, Module), ("max_unpool%dd"):format(dims)
  local read = arguments(name, {"kernel_size", {"stride"}, {"padding", 0}})
  MaxUnpool:optional "stride"

  function MaxUnpool:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
  end

  function MaxUnpool:forward(x, indices, output_size)
    return F[fn](x, indices, self.kernel_size, self.stride, self.padding, output_size)
  end

  function MaxUnpool:describe()
    local size = self.kernel_size
    return type(size) == "table" and sizes.text(size) or tostring(size)
  end

  pools[name] = MaxUnpool
end

return pools
