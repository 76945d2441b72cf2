-- training.CheckpointManager: saves a training to files, keeps the newest and the best, and restores it.
--
-- tide.save writes PATH-000001.safetensors and so on; PATH-index.safetensors lists the ones that are
-- kept. A file is written before the index that lists it, and removed after the index no longer does: so
-- whenever the program ends, the newest file is the one following the index, or the last one in it.
local define = require "tide.internal.declare.define"
local methods = require "tide.internal.declare.methods"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Saves objects to files PATH-000001.safetensors and so on, in an existing folder, and restores them; a resumed
--- training is bitwise identical to an uninterrupted one. Keeps the newest `keep` files, and the `keep_best` files with
--- the best metrics. If the program is killed, the newest file is complete nevertheless.
---@param path string  prefix of the file names
---@param objects table  objects to save, by name: {model = net, optimizer = optimizer, loader = loader}. Each has a
---  state_dict, or is a generator; a loader keeps its position in a pass
---@param keep integer > 0 = 3  number of newest files to keep
---@param keep_best integer > 0 = 1  number of best files to keep
---@param mode "min" | "max" = "min"  whether a smaller or a larger metric is better
---@waits saving waits for the values
---@see manager:save manager:restore tide.save
---@example
--- local path, net = tide.scratch() .. "/manager", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:save({epoch = 1})
--- #manager:checkpoints() --> 1
local CheckpointManager, read = define("training.CheckpointManager")

local kSearched <const> = 10000 -- file numbers that are tried without an index
local kName <const> = "CheckpointManager"

-- Objects -----------------------------------------------------------------------------------------

local method = protocol.method

local function check_objects(objects)
  if getmetatable(objects) then
    raise("%s: objects: expected a table like {model = net, optimizer = optimizer}, got %s", kName,
      protocol.kind_of(objects))
  end
  for name, object in pairs(objects) do
    if type(name) ~= "string" then raise("%s: objects: expected names as keys, got %s", kName, tostring(name)) end
    if name == "checkpoint" then raise("%s: objects: the name 'checkpoint' is taken", kName) end
    local has_state = method(object, "state_dict") and method(object, "load_state_dict")
    if not has_state and not (method(object, "get_state") and method(object, "set_state")) then
      raise("%s: objects: %s has no state_dict and load_state_dict: it is a %s", kName, name,
        protocol.kind_of(object))
    end
  end
end

--- The value to pass to tide.save for an object.
local function state_of(object)
  if not method(object, "state_dict") then return object:get_state() end
  return getmetatable(object) and object or object:state_dict()
end

local function load_state(object, state)
  if method(object, "load_state_dict") then return object:load_state_dict(state) end
  object:set_state(state)
end

-- Files -------------------------------------------------------------------------------------------

local function path_of(self, number) return ("%s-%06d.safetensors"):format(self.path, number) end

local function index_path(self) return self.path .. "-index.safetensors" end

local function exists(path)
  local file <close> = io.open(path, "rb")
  return file ~= nil
end

--- The contents of a file; or nil and the problem with the file. Other errors are raised.
local function load_file(path)
  local loaded, value = pcall(tide.load, path, "cpu")
  if loaded then return value end
  local from = type(value) == "string" and value:find(path, 1, true)
  if not from then error(value, 0) end
  return nil, value:sub(from)
end

--- A checkpoint; or nil and the problem with its file.
local function load_checkpoint(self, number)
  local path = path_of(self, number)
  local state, problem = load_file(path)
  if state and type(state.checkpoint) ~= "table" then return nil, path .. ": is not a checkpoint" end
  return state, problem
end

local function warn(format, ...) io.stderr:write("warning: ", format:format(...), "\n") end

--- Adds a file that is missing from the index to the list.
local function adopt(self, number)
  local state = load_checkpoint(self, number)
  local metric = state and state.checkpoint.metric
  self.kept[#self.kept + 1] = {number = number, metric = type(metric) == "number" and metric or nil}
  self.last = number
end

local function is_entry(value)
  return type(value) == "table" and math.type(value.number) == "integer" and
           (value.metric == nil or type(value.metric) == "number")
end

local function is_index(value)
  if type(value) ~= "table" or math.type(value.last) ~= "integer" then return false end
  if type(value.kept) ~= "table" or type(value.dropped) ~= "table" then return false end
  for _, entry in ipairs(value.kept) do
    if not is_entry(entry) then return false end
  end
  for _, number in ipairs(value.dropped) do
    if math.type(number) ~= "integer" then return false end
  end
  return true
end

--- Finds the existing files.
local function find_files(self)
  local index, problem
  if exists(index_path(self)) then
    index, problem = load_file(index_path(self))
    if not is_index(index) then
      warn("%s; looking for checkpoints by their names", problem or index_path(self) .. ": is not an index")
      index = nil
    end
  end
  self.last, self.kept = index and index.last or 0, index and index.kept or {}
  for _, number in ipairs(index and index.dropped or {}) do os.remove(path_of(self, number)) end
  if not index then
    for number = 1, kSearched do
      if exists(path_of(self, number)) then adopt(self, number) end
    end
  end
  while exists(path_of(self, self.last + 1)) do adopt(self, self.last + 1) end
end

-- The manager -------------------------------------------------------------------------------------

--- Whether checkpoints exist under a path.
function CheckpointManager.has_files(path) return exists(path .. "-index.safetensors") end

function CheckpointManager:init(...)
  local given = read(...)
  check_objects(given.objects)
  self.path, self.objects, self.mode = given.path, given.objects, given.mode
  self.keep, self.keep_best = given.keep, given.keep_best
  find_files(self)
end

--- Whether a metric is better than another one, which may be nil.
local function is_better(self, metric, other)
  if not metric or metric ~= metric then return false end
  if not other or other ~= other then return true end
  if self.mode == "min" then return metric < other end
  return metric > other
end

--- The list sorted with the best metric first, older files first among equals; files without a metric come last.
local function by_metric(self)
  local entries = table.move(self.kept, 1, #self.kept, 1, {})
  table.sort(entries, function(a, b)
    if is_better(self, a.metric, b.metric) then return true end
    return not is_better(self, b.metric, a.metric) and a.number < b.number
  end)
  return entries
end

local function has_metric(entry) return entry and entry.metric and entry.metric == entry.metric end

--- The checkpoint with the best metric, the oldest among equals; nil if none has a metric.
local function best_of(self)
  local best = by_metric(self)[1]
  return has_metric(best) and best or nil
end

--- Removes the entries that are not kept from the list; returns their numbers.
local function drop_old(self)
  local best, kept, dropped = {}, {}, {}
  for i, entry in ipairs(by_metric(self)) do best[entry] = i <= self.keep_best and has_metric(entry) end
  for i, entry in ipairs(self.kept) do
    if i > #self.kept - self.keep or best[entry] then
      kept[#kept + 1] = entry
    else
      dropped[#dropped + 1] = entry.number
    end
  end
  self.kept = kept
  return dropped
end

--- Writes a single file, which is not added to the list; waits.
---@param path string  name of the file
---@param about table = {values = {}}  data to save with the objects: fields values, metric and number
---@example
--- local path, net = tide.scratch() .. "/written", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:write(path)
--- manager:restore_file(path)
--- #manager:checkpoints() --> 0
function CheckpointManager:write(path, about)
  local state = {checkpoint = about}
  about.random = tide.get_rng_state()
  for name, object in pairs(self.objects) do state[name] = state_of(object) end
  tide.save(state, path)
end

--- Saves the objects, the state of the default random generator and a table of plain values; returns the path. The
--- generator of math.random cannot be saved; waits.
---@param values table = nil  numbers and strings to save with the objects
---@param metric number | tensor = nil  the metric that ranks the checkpoints
---@waits for the values
---@see training.CheckpointManager manager:restore tide.save
---@example
--- local path, net = tide.scratch() .. "/saved", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:save({epoch = 1}, 0.5)
--- manager:checkpoints()[1].metric --> 0.5
function CheckpointManager:save(values, metric)
  if tide.is_tensor(metric) then metric = metric:item() end
  if type(metric) == "boolean" then raise("save: the metric must be a number, got a tensor with %s", metric) end
  local number = self.last + 1
  self:write(path_of(self, number), {number = number, metric = metric, values = values or {}})
  self.last = number
  self.kept[#self.kept + 1] = {number = number, metric = metric}
  local dropped = drop_old(self)
  tide.save({last = number, kept = self.kept, dropped = dropped}, index_path(self))
  for _, old in ipairs(dropped) do os.remove(path_of(self, old)) end
  return path_of(self, number)
end

--- The entries that may be restored, the preferred one first.
local function candidates(self, which)
  if which == "best" then return by_metric(self) end
  local entries = table.move(self.kept, 1, #self.kept, 1, {})
  table.sort(entries, function(a, b) return a.number > b.number end)
  if which == "last" then return entries end
  for _, entry in ipairs(entries) do
    if entry.number == which then return {entry} end
  end
  raise("restore: expected last, best or the number of a checkpoint that is kept, got %s", tostring(which))
end

--- Removes a checkpoint whose file is damaged from the list. The file stays.
local function forget(self, entry)
  for i, other in ipairs(self.kept) do
    if other == entry then return table.remove(self.kept, i) end
  end
end

local function apply(self, state, path)
  for name in pairs(self.objects) do
    if state[name] == nil then raise("restore: %s has no '%s'", path, name) end
  end
  for name, object in pairs(self.objects) do load_state(object, state[name]) end
  tide.set_rng_state(state.checkpoint.random)
end

--- Restores the objects and the default generator from the last checkpoint, the "best", or one by number. Returns the
--- values and {number, metric, path}; nil if there is none. A truncated or malformed file is reported in a warning and
--- the previous one is used; element values are not checked.
---@param which "last" | "best" | integer = "last"  which checkpoint, or its number
---@see training.CheckpointManager manager:save tide.save
---@example
--- local path, net = tide.scratch() .. "/restored", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:save({epoch = 1})
--- manager:save({epoch = 2})
--- (manager:restore()) --> {epoch = 2}
function CheckpointManager:restore(which)
  local entries = candidates(self, which)
  for i, entry in ipairs(entries) do
    local state, problem = load_checkpoint(self, entry.number)
    if state then
      local path = path_of(self, entry.number)
      apply(self, state, path)
      return state.checkpoint.values, {number = entry.number, metric = entry.metric, path = path}
    end
    if i == #entries then raise("restore: no checkpoint can be read: %s", problem) end
    forget(self, entry)
    warn("%s; using checkpoint %d instead", problem, entries[i + 1].number)
  end
end

--- Restores the objects and the default generator from one file; returns the saved values.
---@param path string  name of the file
---@example
--- local path, net = tide.scratch() .. "/restored_file", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:write(path)
--- manager:restore_file(path) --> {}
function CheckpointManager:restore_file(path)
  local state = tide.load(path, "cpu")
  if type(state.checkpoint) ~= "table" then raise("restore_file: %s is not a checkpoint", path) end
  apply(self, state, path)
  return state.checkpoint.values
end

--- A list of {number, metric, path, best} for the kept files, the oldest first.
---@example
--- local path, net = tide.scratch() .. "/listed", tide.nn.Linear(2, 1)
--- local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1})
--- manager:save()
--- manager:save()
--- #manager:checkpoints() --> 1
function CheckpointManager:checkpoints()
  local list, best = {}, best_of(self)
  for i, entry in ipairs(self.kept) do
    list[i] = {
      number = entry.number, metric = entry.metric, path = path_of(self, entry.number), best = entry == best,
    }
  end
  return list
end

methods(CheckpointManager, "manager")

return CheckpointManager
