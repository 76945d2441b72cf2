-- Pooling layers, over one, two and three dimensions.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local sizes = require "tide.nn.internal.sizes"

local pools = {}

--- Makes the class declared as `name`, which calls F[fn](x, options...) with the options in declaration order.
local function pool(name, fn)
  local Pool, read, _, option_names = define(name, Module)

  function Pool:init(...)
    local given, names = read(...)
    for _, key in ipairs(names) do self[key] = given[key] end
  end

  function Pool:forward(x)
    local names, values = option_names(), {}
    for i, key in ipairs(names) do values[i] = self[key] end
    return F[fn](x, table.unpack(values, 1, #names))
  end

  function Pool:describe()
    local size = self[option_names()[1]]
    return type(size) == "table" and sizes.text(size) or tostring(size)
  end

  pools[Pool.name] = Pool
end

--- The largest value of each window of a sequence.
---@use nn: kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@use nn: dilation = 1, ceil_mode = false, return_indices = false
---@formula y = the maximum of each window
---@shapes x (n, channels, size...) -> (n, channels, (size + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1
---  for each); rounded up with ceil_mode
---@counts the positions of return_indices, in each flattened channel
---@see nn.MaxPool2d nn.AvgPool2d nn.AdaptiveMaxPool2d nn.MaxUnpool2d F.max_pool2d
---@example
--- nn.MaxPool1d(2)(tide.tensor{{{1.0, 4, 3, 2}}}) --> {{{4.0, 3.0}}}
pool("nn.MaxPool1d", "max_pool1d")

--- The largest value of each window of an image.
---@like nn.MaxPool1d
---@see nn.AvgPool2d nn.AdaptiveMaxPool2d nn.MaxUnpool2d F.max_pool2d
---@example
--- nn.MaxPool2d(2)(tide.ones(1, 3, 8, 8)).shape --> {1, 3, 4, 4}
pool("nn.MaxPool2d", "max_pool2d")

--- The largest value of each window of a volume.
---@like nn.MaxPool1d
---@example
--- nn.MaxPool3d(2)(tide.ones(1, 3, 4, 4, 4)).shape --> {1, 3, 2, 2, 2}
pool("nn.MaxPool3d", "max_pool3d")

--- The mean of each window of a sequence.
---@use nn: kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@use nn: ceil_mode = false, count_include_pad = true
---@formula y = the mean of each window
---@shapes x (n, channels, size...) -> (n, channels, (size + 2 padding - kernel_size) // stride + 1 for each); rounded
---  up with ceil_mode
---@see nn.AvgPool2d nn.MaxPool2d nn.AdaptiveAvgPool2d F.avg_pool2d
---@example
--- nn.AvgPool1d(2)(tide.tensor{{{1.0, 4, 3, 2}}}) --> {{{2.5, 2.5}}}
pool("nn.AvgPool1d", "avg_pool1d")

--- The mean of each window of an image.
---@use nn: kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@use nn: ceil_mode = false, count_include_pad = true, divisor_override = nil
---@formula y = the mean of each window
---@shapes x (n, channels, size...) -> (n, channels, (size + 2 padding - kernel_size) // stride + 1 for each); rounded
---  up with ceil_mode
---@see nn.MaxPool2d nn.AdaptiveAvgPool2d F.avg_pool2d
---@example
--- nn.AvgPool2d(2)(tide.ones(1, 3, 8, 8)).shape --> {1, 3, 4, 4}
pool("nn.AvgPool2d", "avg_pool2d")

--- The mean of each window of a volume.
---@like nn.AvgPool2d
---@see nn.AvgPool2d nn.MaxPool2d nn.AdaptiveAvgPool2d F.avg_pool2d
---@example
--- nn.AvgPool3d(2)(tide.ones(1, 3, 4, 4, 4)).shape --> {1, 3, 2, 2, 2}
pool("nn.AvgPool3d", "avg_pool3d")

--- Average pooling to a given length.
---@use nn: output_size
---@shapes x (n, channels, size...) -> (n, channels, output_size...), for any sizes of x
---@see nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d nn.AvgPool2d
---@example
--- nn.AdaptiveAvgPool1d(2)(tide.ones(1, 3, 9)).shape --> {1, 3, 2}
pool("nn.AdaptiveAvgPool1d", "adaptive_avg_pool1d")

--- Average pooling to a given image size.
---@use nn: output_size
---@shapes x (n, channels, size...) -> (n, channels, output_size...), for any sizes of x
---@see nn.AdaptiveMaxPool2d nn.AvgPool2d
---@example
--- nn.AdaptiveAvgPool2d(1)(tide.ones(1, 3, 9, 9)).shape --> {1, 3, 1, 1}
pool("nn.AdaptiveAvgPool2d", "adaptive_avg_pool2d")

--- Average pooling to a given volume size.
---@use nn: output_size
---@shapes x (n, channels, size...) -> (n, channels, output_size...), for any sizes of x
---@see nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d nn.AvgPool2d
---@example
--- nn.AdaptiveAvgPool3d(1)(tide.ones(1, 3, 4, 4, 4)).shape --> {1, 3, 1, 1, 1}
pool("nn.AdaptiveAvgPool3d", "adaptive_avg_pool3d")

--- Max pooling to a given length.
---@use nn: output_size, return_indices = false
---@shapes x (n, channels, size...) -> (n, channels, output_size...), for any sizes of x
---@see nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d nn.AvgPool2d
---@example
--- nn.AdaptiveMaxPool1d(2)(tide.ones(1, 3, 9)).shape --> {1, 3, 2}
pool("nn.AdaptiveMaxPool1d", "adaptive_max_pool1d")

--- Max pooling to a given image size.
---@like nn.AdaptiveMaxPool1d
---@see nn.AdaptiveAvgPool2d nn.AvgPool2d
---@example
--- nn.AdaptiveMaxPool2d(1)(tide.ones(1, 3, 9, 9)).shape --> {1, 3, 1, 1}
pool("nn.AdaptiveMaxPool2d", "adaptive_max_pool2d")

--- Max pooling to a given volume size.
---@like nn.AdaptiveMaxPool1d
---@example
--- nn.AdaptiveMaxPool3d(1)(tide.ones(1, 3, 4, 4, 4)).shape --> {1, 3, 1, 1, 1}
pool("nn.AdaptiveMaxPool3d", "adaptive_max_pool3d")

--- The norm of each window of a sequence.
---@use nn: norm_type, kernel_size, stride = kernel_size, ceil_mode = false
---@formula y = (sum over the window of x^p)^(1/p)
---@shapes x (n, channels, size...) -> (n, channels, (size - kernel_size) // stride + 1 for each)
---@see nn.LPPool2d nn.AvgPool2d F.lp_pool2d
---@example
--- nn.LPPool1d(2, 2)(tide.ones(1, 3, 8)).shape --> {1, 3, 4}
pool("nn.LPPool1d", "lp_pool1d")

--- The norm of each window of an image.
---@like nn.LPPool1d
---@see nn.AvgPool2d
---@example
--- nn.LPPool2d(2, 2)(tide.ones(1, 3, 8, 8)).shape --> {1, 3, 4, 4}
pool("nn.LPPool2d", "lp_pool2d")

--- The norm of each window of a volume.
---@like nn.LPPool1d
---@example
--- nn.LPPool3d(2, 2)(tide.ones(1, 3, 4, 4, 4)).shape --> {1, 3, 2, 2, 2}
pool("nn.LPPool3d", "lp_pool3d")

--- Max pooling with random windows, to any image size.
---@use nn: kernel_size, output_size = nil, output_ratio = nil, return_indices = false
---@param _random_samples tensor = nil  random numbers in 0..1 that position the windows
---@shapes x (n, channels, size...) -> (n, channels, output_size or floor(output_ratio size)...)
---@errors not exactly one of output_size and output_ratio is given
---@see nn.MaxPool2d
---@example
--- nn.FractionalMaxPool2d(2, {output_size = 5})(tide.ones(1, 3, 9, 9)).shape --> {1, 3, 5, 5}
pool("nn.FractionalMaxPool2d", "fractional_max_pool2d")

--- Max pooling with random windows, to any volume size.
---@like nn.FractionalMaxPool2d
---@see nn.FractionalMaxPool2d nn.MaxPool2d
---@example
--- nn.FractionalMaxPool3d(2, {output_size = 3})(tide.ones(1, 1, 5, 5, 5)).shape --> {1, 1, 3, 3, 3}
pool("nn.FractionalMaxPool3d", "fractional_max_pool3d")

--- Makes the class declared as `name`, the partial inverse of max pooling: unpool(x, indices, output_size).
local function unpool(name, fn)
  local MaxUnpool, read = define(name, Module)

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

  pools[MaxUnpool.name] = MaxUnpool
end

--- Partial inverse of max pooling, with zeros elsewhere: unpool(x, indices, output_size?).
---@use nn: kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@shapes x and indices (n, channels, size...) -> (n, channels, (size - 1) stride - 2 padding + kernel_size for each)
---@see nn.MaxPool2d F.max_unpool2d
---@example
--- local y, indices = nn.MaxPool1d(2, {return_indices = true})(tide.ones(1, 3, 8))
--- nn.MaxUnpool1d(2)(y, indices).shape --> {1, 3, 8}
unpool("nn.MaxUnpool1d", "max_unpool1d")

--- Partial inverse of max pooling, with zeros elsewhere: unpool(x, indices, output_size?).
---@like nn.MaxUnpool1d
---@example
--- local y, indices = nn.MaxPool2d(2, {return_indices = true})(tide.ones(1, 3, 8, 8))
--- nn.MaxUnpool2d(2)(y, indices).shape --> {1, 3, 8, 8}
unpool("nn.MaxUnpool2d", "max_unpool2d")

--- Partial inverse of max pooling, with zeros elsewhere: unpool(x, indices, output_size?).
---@like nn.MaxUnpool1d
---@example
--- local y, indices = nn.MaxPool3d(2, {return_indices = true})(tide.ones(1, 3, 4, 4, 4))
--- nn.MaxUnpool3d(2)(y, indices).shape --> {1, 3, 4, 4, 4}
unpool("nn.MaxUnpool3d", "max_unpool3d")

return pools
