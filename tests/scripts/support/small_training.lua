-- A small training with everything that draws random numbers: a shuffled loader, dropout, batch norm.
local tide = require "tide"
local test = require "tide.test"
local nn = tide.nn

local small_training = {}

--- A data set of `count` points in two classes.
function small_training.dataset(count)
  local generator = tide.Generator()
  generator:manual_seed(5)
  local x = tide.randn({count, 4}, {generator = generator, device = "cpu"})
  return tide.data.TensorDataset(x, x:sum(2):gt(0):to("int64") + 1)
end

--- A loader of five batches, with further options, and one for validation.
function small_training.loaders(options)
  local dataset, all = small_training.dataset(30), {batch_size = 6, shuffle = true}
  for name, value in pairs(options or {}) do all[name] = value end
  return tide.data.DataLoader(dataset, all),
    tide.data.DataLoader(dataset, {batch_size = 10})
end

function small_training.network()
  return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.ReLU(),
    nn.Linear(8, 2))
end

--- A trainer on the cpu that prints nothing.
function small_training.trainer(options)
  local all = {device = "cpu", enable_progress_bar = false}
  for name, value in pairs(options) do all[name] = value end
  return tide.Trainer(all)
end

--- Asserts that nested tables of numbers and tensors have the same bits, except for
--- durations.
function small_training.identical(got, expected, place)
  if tide.is_tensor(expected) then return test.identical(got, expected) end
  if type(expected) ~= "table" then
    if got ~= expected then
      error(("%s: %s, expected %s"):format(place, tostring(got), tostring(expected)), 2)
    end
    return
  end
  for key, value in pairs(expected) do
    if key ~= "seconds" then
      small_training.identical(got[key], value, (place or "") .. "." .. tostring(key))
    end
  end
end

return small_training
