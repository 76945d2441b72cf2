-- The position of a loader, saved and restored: the rest of a pass is the same.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local data, equal = tide.data, test.same_type

local kCount <const> = 11

local Noisy = tide.class("Noisy", data.Dataset)
function Noisy:len() return kCount end
function Noisy:get(i) return i + tide.rand({1}, {dtype = "float64"}):item() end

local Words = tide.class("Words", data.IterableDataset)
function Words:iter()
  local i = 0
  return function()
    i = i + 1
    if i <= kCount then return i + tide.rand({1}, {dtype = "float64"}):item() end
  end
end

--- All batches of three passes, while the script draws random numbers between them. With `stop`, after that number of
--- batches the loader and the generator are replaced with others that load their states.
local function batches(make, stop)
  tide.manual_seed(7)
  local loader, all = make(), {}
  local resumed
  repeat
    resumed = false
    while loader.epoch < 3 or loader.resumed do
      for i, x in loader:enumerate() do
        all[#all + 1] = {i, x:tolist(), tide.rand(1):item()}
        if #all == stop then
          local state, random = loader:state_dict(), tide.get_rng_state()
          local path = os.tmpname()
          tide.save(state, path)
          tide.manual_seed(99)
          loader = make()
          loader:load_state_dict(tide.load(path))
          os.remove(path)
          tide.set_rng_state(random)
          equal(loader:state_dict(), state)
          resumed, stop = true, nil
          break
        end
      end
      if resumed then break end
    end
  until not resumed
  return all
end

describe("the state of a loader", function()
  local function seeded()
    local generator = tide.Generator()
    generator:manual_seed(3)
    return generator
  end
  local kinds = {
    ["in order"] = function() return data.DataLoader(Noisy(), {batch_size = 3}) end,
    shuffled = function() return data.DataLoader(Noisy(), {batch_size = 3, shuffle = true}) end,
    ["shuffled tensors"] = function()
      return data.DataLoader(tide.range(1, kCount), {batch_size = 3, shuffle = true, drop_last = true})
    end,
    ["with a generator"] = function()
      return data.DataLoader(Noisy(), {batch_size = 4, shuffle = true, generator = seeded()})
    end,
    ["with a sampler's generator"] = function()
      local sampler = data.RandomSampler(tide.ones(kCount), {generator = seeded()})
      return data.DataLoader(Noisy(), {batch_sampler = data.BatchSampler(sampler, 4)})
    end,
    ["with workers"] = function()
      return data.DataLoader(tide.range(1, kCount), {batch_size = 3, shuffle = true, num_workers = 2})
    end,
    ["over an iterable data set"] = function() return data.DataLoader(Words(), {batch_size = 4}) end,
  }
  for name, make in pairs(kinds) do
    it("makes the rest of a pass the same: " .. name, function()
      local whole = batches(make)
      for stop = 1, #whole do equal(batches(make, stop), whole) end
    end)
  end
  it("is that of the next pass after a complete one", function()
    local loader = data.DataLoader({1, 2, 3})
    for _ in loader:iter() do end
    equal(loader:state_dict(), {epoch = 1})
    local other = data.DataLoader({1, 2, 3})
    other:load_state_dict {epoch = 1}
    equal(other.epoch, 1)
    for _ in other do equal(other:state_dict().taken, 1) break end
    equal(other.epoch, 2)
  end)
  it("is rejected if it is invalid", function()
    test.raises("load_state_dict: expected a state of a DataLoader", function()
      data.DataLoader({1}):load_state_dict {}
    end)
  end)
end)
