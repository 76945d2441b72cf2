-- The table `tide.optim`: optimizers, each read from its own file when first used.

local files = {Adam = "adam", AdamW = "adamw", Optimizer = "optimizer", SGD = "sgd"}

local function load_field(self, name)
  local file = files[name]
  if not file then return nil end
  local value = require("tide.optim." .. file)
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
