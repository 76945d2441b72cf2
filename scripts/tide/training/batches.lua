-- Batches: accepted kinds of loaders, their number of batches, fetching a batch and moving it to a device.
local class = require "tide.internal.class"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local batches = {}

local method = protocol.method

-- A list of batches as a loader.
local BatchList = class "BatchList"

function BatchList:init(list) self.list = list end

function BatchList:__len() return #self.list end

function BatchList:iter()
  local i = 0
  return function()
    i = i + 1
    return self.list[i]
  end
end

--- The value as a loader: the value itself if it has iter(), else a list of batches.
function batches.as_loader(caller, what, value)
  if method(value, "iter") then return value end
  if tide.is_tensor(value) or method(value, "get") then
    raise("%s: %s: this is a dataset: pass tide.data.DataLoader(dataset, {batch_size = 32})",
      caller, what)
  end
  if protocol.is_list(value) then return BatchList(value) end
  raise("%s: %s: expected a DataLoader or a list of batches, got %s", caller, what,
    protocol.kind_of(value))
end

--- A loader whose batches are the first `count` of another one, in memory.
function batches.first(loader, count)
  local list, step, _, _, closing = {}, loader:iter()
  local _ <close> = closing
  while #list < count do
    local batch = batches.packed(step())
    if batch == nil then break end
    list[#list + 1] = batch
  end
  return BatchList(list)
end

--- The number of batches in a pass; nil if the loader has no length.
function batches.count(loader)
  local counted, count = pcall(protocol.length, loader)
  return counted and count or nil
end

--- The number of batches after applying a limit: an integer count, or a float fraction. nil if the length is unknown,
--- which is an error for a fraction.
function batches.limited(caller, option, limit, loader)
  local count = batches.count(loader)
  if math.type(limit) == "integer" then return count and math.min(count, limit) or limit end
  if limit == 1.0 then return count end
  if not count then
    raise("%s: %s: a fraction needs a loader with a length: give an integer", caller, option)
  end
  return count * limit // 1 | 0
end

--- The results of a loader's step as one value: several become a list; nil at the end.
function batches.packed(first, ...)
  if first == nil or select("#", ...) == 0 then return first end
  return {first, ...}
end

--- The batch with its tensors on a device.
function batches.moved(batch, device)
  if tide.is_tensor(batch) then
    return batch.device == device and batch or batch:to({device = device, non_blocking = true})
  end
  if type(batch) ~= "table" then return batch end
  if getmetatable(batch) then return method(batch, "to") and batch:to(device) or batch end
  local copy = {}
  for key, value in next, batch do copy[key] = batches.moved(value, device) end
  return copy
end

--- The number of samples: the first dimension of the first tensor in the batch.
function batches.size(batch)
  if tide.is_tensor(batch) then return batch:dim() > 0 and batch:size(1) or 1 end
  if type(batch) ~= "table" then return nil end
  if getmetatable(batch) then return nil end
  for _, value in ipairs(batch) do
    local size = batches.size(value)
    if size then return size end
  end
  local names = {}
  for name in pairs(batch) do names[#names + 1] = type(name) == "string" and name or nil end
  table.sort(names)
  for _, name in ipairs(names) do
    local size = batches.size(batch[name])
    if size then return size end
  end
end

-- Positions ---------------------------------------------------------------------------------------

--- The state needed to resume a loader: after a complete pass, or in the middle of one.
function batches.state_of(loader, in_pass)
  if not method(loader, "state_dict") then return {} end
  local state = loader:state_dict()
  if in_pass then return state end
  return {epoch = state.epoch, generator = state.generator}
end

--- Restores a loader's position.
function batches.restore(loader, state)
  if state.epoch and method(loader, "load_state_dict") then loader:load_state_dict(state) end
end

--- Begins a pass, or resumes one after `taken` batches. Returns a function that returns the next batch, and a value to
--- close at the end.
function batches.open(loader, taken)
  local step, state, control, closing = loader:iter()
  if taken > 0 and not method(loader, "load_state_dict") then
    for _ = 1, taken do control = step(state, control) end
  end
  local function pass_on(...)
    control = ...
    return batches.packed(...)
  end
  return function() return pass_on(step(state, control)) end, closing
end

return batches
