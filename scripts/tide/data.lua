-- The table `tide.data`: data sets and loaders, each read from its own file when first used.

local files = {DataLoader = "data_loader", TensorDataset = "tensor_dataset", digits = "digits"}

local function load_field(self, name)
  local file = files[name]
  if not file then return nil end
  local value = require("tide.data." .. file)
  rawset(self, name, value)
  return value
end

return setmetatable({}, {
  __index = load_field,
  __names = files, -- for completion at the prompt
  -- So that loops and documentation see what has not been read yet.
  __pairs = function(self)
    for name in pairs(files) do load_field(self, name) end
    return next, self, nil
  end,
})
