-- The table `tide.nn`: layers, losses and containers, each read from its own file when first used.

local files = {
  Conv2d = "conv2d",
  CrossEntropyLoss = "cross_entropy_loss",
  Dense = "dense",
  Dropout = "dropout",
  Flatten = "flatten",
  LazyLinear = "lazy_linear",
  Linear = "linear",
  MaxPool2d = "max_pool2d",
  Module = "module",
  MSELoss = "mse_loss",
  Parameter = "parameter",
  ReLU = "relu",
  Sequential = "sequential",
  Sigmoid = "sigmoid",
  Tanh = "tanh",
  functional = "functional",
  init = "init",
}

local nn = {}

local function load_field(self, name)
  local file = files[name]
  if not file then return nil end
  local value = require("tide.nn." .. file)
  rawset(self, name, value)
  return value
end

return setmetatable(nn, {
  __index = load_field,
  __names = files, -- for completion at the prompt
  -- So that loops and documentation see what has not been read yet.
  __pairs = function(self)
    for name in pairs(files) do load_field(self, name) end
    return next, self, nil
  end,
})
