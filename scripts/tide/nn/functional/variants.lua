-- tide.nn.functional: activations that overwrite x, and max pools that also return positions.
local F = require "tide.nn.functional"
local reader = require "tide.internal.declare.reader"

--- Makes the function declared as `name`, which is F[`base`] with `option` set.
local function with_option(name, base, option)
  local read = reader(name)
  F[name:match "[%w_]+$"] = function(...)
    local given = read(...)
    local x = given.x
    given.x, given[option] = nil, true
    return F[base](x, given)
  end
end

local function in_place(name) with_option(name, name:match "([%w_]+)_$", "inplace") end
local function with_indices(name) with_option(name, name:match "([%w_]+)_with_indices$", "return_indices") end

--- celu that overwrites x.
---@use nn: x
---@param alpha number = 1.0  scale of the curve below 0
---@formula max(0, x) + min(0, alpha (exp(x / alpha) - 1))
---@see nn.CELU nn.ELU F.celu
---@example
--- F.celu_(tide.tensor{0.0, 2}) --> {0.0, 2.0}
in_place "nn.functional.celu_"

--- elu that overwrites x.
---@use nn: x
---@param alpha number = 1.0  scale of the curve below 0
---@formula x if x > 0, else alpha (exp(x) - 1)
---@see nn.ELU nn.SELU F.elu
---@example
--- F.elu_(tide.tensor{0.0, 2}) --> {0.0, 2.0}
in_place "nn.functional.elu_"

--- hardtanh that overwrites x.
---@use nn: x
---@param min_val number = -1.0  the lower bound
---@param max_val number = 1.0  the upper bound
---@formula clamp(x, min_val, max_val)
---@see nn.Hardtanh nn.ReLU6 nn.Tanh
---@example
--- F.hardtanh_(tide.tensor{-3.0, 0.5}) --> {-1.0, 0.5}
in_place "nn.functional.hardtanh_"

--- leaky_relu that overwrites x.
---@use nn: x
---@param negative_slope number = 0.01  slope below 0
---@formula x if x > 0, else negative_slope x
---@see nn.LeakyReLU nn.PReLU F.leaky_relu
---@example
--- F.leaky_relu_(tide.tensor{-1.0, 2}) --> {-0.01, 2.0}
in_place "nn.functional.leaky_relu_"

--- relu that overwrites x.
---@use nn: x
---@formula max(0, x)
---@see nn.ReLU nn.LeakyReLU nn.GELU F.relu
---@example
--- F.relu_(tide.tensor{-1.0, 2}) --> {0.0, 2.0}
in_place "nn.functional.relu_"

--- rrelu that overwrites x.
---@use nn: x, lower = 1 / 8, upper = 1 / 3
---@param training boolean = false  random slopes; otherwise their mean
---@formula x if x > 0, else a x, a uniform in lower..upper
---@see nn.RReLU nn.LeakyReLU
---@example
--- F.rrelu_(tide.tensor{-24.0, 3}) --> {-5.5, 3.0}
in_place "nn.functional.rrelu_"

--- selu that overwrites x.
---@use nn: x
---@formula 1.0507 (x if x > 0, else 1.67326 (exp(x) - 1))
---@see nn.SELU nn.AlphaDropout
---@example
--- F.selu_(tide.tensor{0.0, 1}) --> {0.0, 1.051}
in_place "nn.functional.selu_"

--- threshold that overwrites x.
---@use nn: x, threshold
---@param value number  the replacement
---@formula x if x > threshold, else value
---@see nn.Threshold nn.ReLU
---@example
--- F.threshold_(tide.tensor{0.0, 2}, 1, 7) --> {7.0, 2.0}
in_place "nn.functional.threshold_"

--- The maximum of each window of a sequence, and its position.
---@use nn: x, kernel_size, stride = kernel_size
---@param padding integer | integer[] = 0  elements added at both ends of x: one for all dimensions, or one for each
---@use nn: dilation = 1, ceil_mode = false
---@example
--- local y, indices = F.max_pool1d_with_indices(tide.ones(1, 3, 8), 2)
--- indices.shape --> {1, 3, 4}
with_indices "nn.functional.max_pool1d_with_indices"

--- Maxima of windows of a sequence for a given output size, and their positions.
---@use nn: x, output_size
---@example
--- local y, indices = F.adaptive_max_pool1d_with_indices(tide.ones(1, 3, 8), 1)
--- y:numel() --> 3
with_indices "nn.functional.adaptive_max_pool1d_with_indices"

--- The maximum of each window of an image, and its position.
---@like nn.functional.max_pool1d_with_indices
---@example
--- local y, indices = F.max_pool2d_with_indices(tide.ones(1, 3, 8, 8), 2)
--- indices.shape --> {1, 3, 4, 4}
with_indices "nn.functional.max_pool2d_with_indices"

--- Maxima of windows of an image for a given output size, and their positions.
---@like nn.functional.adaptive_max_pool1d_with_indices
---@example
--- local y, indices = F.adaptive_max_pool2d_with_indices(tide.ones(1, 3, 8, 8), 1)
--- y:numel() --> 3
with_indices "nn.functional.adaptive_max_pool2d_with_indices"

--- The maximum of each window of a volume, and its position.
---@like nn.functional.max_pool1d_with_indices
---@example
--- local y, indices = F.max_pool3d_with_indices(tide.ones(1, 3, 4, 4, 4), 2)
--- indices.shape --> {1, 3, 2, 2, 2}
with_indices "nn.functional.max_pool3d_with_indices"

--- Maxima of windows of a volume for a given output size, and their positions.
---@like nn.functional.adaptive_max_pool1d_with_indices
---@example
--- local y, indices = F.adaptive_max_pool3d_with_indices(tide.ones(1, 3, 4, 4, 4), 1)
--- y:numel() --> 3
with_indices "nn.functional.adaptive_max_pool3d_with_indices"

return F
