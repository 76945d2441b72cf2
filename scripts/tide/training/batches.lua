-- Batches: what loaders may be, how many batches they have, and how a batch is taken and moved.
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

--- The value as a loader: one already if it has iter(), else a list of batches.
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

--- How many batches a pass has; nil if the loader does not say.
function batches.count(loader)
  local counted, count = pcall(protocol.length, loader)
  return counted and count or nil
end

--- The number of batches that a limit leaves: a whole number of them, or a share as a float. nil if
--- the length is not known, which is an error where a share needs it.
function batches.limited(caller, option, limit, loader)
  local count = batches.count(loader)
  if math.type(limit) == "integer" then return count and math.min(count, limit) or limit end
  if limit == 1.0 then return count end
  if not count then
    raise("%s: %s: a share needs a loader with a length: give a whole number", caller, option)
  end
  return count * limit // 1 | 0
end

--- What a loader's step gives as one value: several as a list; nil at the end.
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

--- The number of samples: the first dimension of the first tensor found.
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

-- Places ------------------------------------------------------------------------------------------

--- What is needed to go on with a loader: behind a whole pass, or in the middle of one.
function batches.state_of(loader, in_pass)
  if not method(loader, "state_dict") then return {} end
  local state = loader:state_dict()
  if in_pass then return state end
  return {epoch = state.epoch, generator = state.generator}
end

--- Puts a loader where it was.
function batches.restore(loader, state)
  if state.epoch and method(loader, "load_state_dict") then loader:load_state_dict(state) end
end

--- Begins a pass, or goes on with one of which `taken` batches were taken. Returns a function that
--- gives the next batch, and what is to be closed at the end.
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
