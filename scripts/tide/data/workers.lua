-- The threads of a DataLoader with num_workers: they read samples and make batches of them.
local fetch = require "tide.data.fetch"
local raise = require "tide.internal.raise"
local tide = require "tide"

local workers = {}

--- The info of this thread if it is a worker.
local this_worker

--- See data.get_worker_info.
function workers.info() return this_worker end

--- Sets the info of this thread. It must be a function of the module, which each thread loads: functions sent to a
--- thread have their own upvalues.
function workers.set_info(info) this_worker = info end

--- Interval, in seconds, at which the main thread checks for failed workers while it waits for a batch.
local kLook = 0.5

-- On a worker's thread -----------------------------------------------------------------------------

--- Sends the results of a pcall for job `number` of a pass.
local function answer(results, pass, number, succeeded, ...)
  if succeeded then
    local sent, message = pcall(results.push, results, pass, number, true, ...)
    if sent then return end
    return results:push(pass, number, false, "DataLoader: a batch of a worker: " .. tostring(message))
  end
  -- A worker's stack has no line of the script: it is added when the batch is received.
  results:push(pass, number, false, (tostring((...)):gsub("^%[tide%] [^:]+:%d+: ", "")))
end

local function begin(worker)
  workers.set_info(worker.info)
  if worker.init then worker.init(worker.info.id) end
end

--- Makes the batches of `worker.jobs` until it is closed.
local function make_batches(worker)
  begin(worker)
  local get = worker.one_each and fetch.sample or fetch.batch
  for pass, number, indices in worker.jobs:iter() do
    answer(worker.results, pass.number, number,
      pcall(get, worker.dataset, indices, worker.collate_fn, pass, number))
  end
end

--- Makes the batches of an iterable data set, in order, until it ends.
local function make_stream(worker)
  begin(worker)
  local next_sample = fetch.open(worker.dataset, worker.pass, worker.info.id)
  local size, number = worker.size, 0
  local ended
  local function send(succeeded, ...)
    ended = not succeeded or (...) == nil
    if not ended or not succeeded then answer(worker.results, 1, number, succeeded, ...) end
  end
  repeat
    number = number + 1
    if size then
      send(pcall(fetch.next_batch, next_sample, size, worker.drop_last, worker.collate_fn))
    else
      send(pcall(fetch.next_sample, next_sample, worker.collate_fn))
    end
  until ended
  worker.results:close()
end

-- On the thread of the loader ----------------------------------------------------------------------

--- Raises an error for an option of the loader that cannot be sent to a worker.
function workers.check(loader)
  local names = {"dataset", "collate_fn", "worker_init_fn"}
  local sent, message = pcall(function()
    tide.channel():push(loader.dataset, loader.collate_fn, loader.worker_init_fn)
  end)
  if sent then return end
  local number, what = tostring(message):match "push: argument (%d+)(.*)$"
  if not number then raise("DataLoader: %s", (tostring(message):gsub("^.-channel: ", ""))) end
  raise("DataLoader: %s%s", names[tonumber(number)], (what:gsub("to another thread", "to a worker")))
end

local Pool = {}
Pool.__index = Pool

--- Raises the error of a failed worker.
local function rejoin(thread)
  local succeeded, message = pcall(thread.join, thread)
  if succeeded then return end
  raise("DataLoader: a worker: %s", (tostring(message):gsub("^.-thread: ", "")))
end

--- The next answer in `results`: pass, number, whether it succeeded, values; nothing if the channel is closed. Raises
--- an error after the loader's timeout, or if a worker has failed.
local function wait_for(pool, results)
  local timeout, waited = pool.loader.timeout, 0
  while true do
    local step = timeout > 0 and math.min(kLook, timeout - waited) or kLook
    local answer = table.pack(results:pop(step))
    if answer[1] ~= nil then return table.unpack(answer, 1, answer.n) end
    if results:is_closed() and #results == 0 then return end
    waited = waited + step
    if timeout > 0 and waited >= timeout then
      raise("DataLoader: timeout: received no batch from the workers within %g s", timeout)
    end
    for _, thread in ipairs(pool.threads) do
      if thread:done() then rejoin(thread) end
    end
  end
end

--- Adds to `more` the arguments that all workers share.
local function worker_of(loader, id, pass, more)
  more.info = {id = id, num_workers = loader.num_workers, seed = fetch.mix(pass, id), dataset = loader.dataset}
  more.dataset, more.collate_fn, more.init = loader.dataset, loader.collate_fn, loader.worker_init_fn
  return more
end

--- The workers of a loader whose data set has positions; with `one_each` a batch is a sample.
function workers.pool(loader, pass, one_each)
  local pool = setmetatable({
    loader = loader, threads = {}, jobs = tide.channel(), results = tide.channel(), passes = 0,
  }, Pool)
  for id = 1, loader.num_workers do
    pool.threads[id] = tide.thread(make_batches, worker_of(loader, id, pass,
      {jobs = pool.jobs, results = pool.results, one_each = one_each}))
  end
  return pool
end

--- Stops the workers after their current batch.
function Pool:close()
  self.jobs:close()
  for _, thread in ipairs(self.threads) do thread:cancel() end
end

Pool.__close = Pool.close

--- Returns an iterator over the batches of the positions from `next_indices`, in order, numbered from pass.taken + 1.
--- `pass` is as in fetch.batch.
function Pool:pass(next_indices, pass)
  self.passes = self.passes + 1
  while #self.jobs > 0 do self.jobs:pop(0) end -- of a pass that was left early
  local job = {seed = pass.seed, epoch = pass.epoch, number = self.passes}
  local most = self.loader.num_workers * (self.loader.prefetch_factor or 2)
  local asked, given, ready = pass.taken, pass.taken, {}
  local function ask()
    while next_indices and asked - given < most do
      local indices = next_indices()
      if indices == nil then
        next_indices = nil
        return
      end
      asked = asked + 1
      self.jobs:push(job, asked, indices)
    end
  end
  local function take(number, succeeded, ...)
    if not succeeded then raise("%s", (...)) end
    return ...
  end
  local function collect(answered, number, ...)
    if answered == job.number then
      if number == given then return take(number, ...) end
      ready[number] = table.pack(...)
    end
    return collect(wait_for(self, self.results))
  end
  return function()
    ask()
    if given == asked then
      if not self.loader.persistent_workers then self:close() end
      return nil
    end
    given = given + 1
    local values = ready[given]
    if not values then return collect(wait_for(self, self.results)) end
    ready[given] = nil
    return take(given, table.unpack(values, 1, values.n))
  end
end

--- Returns an iterator over the batches of an iterable data set, and the pool to close. Each worker iterates over its
--- own copy, and they take turns.
function workers.stream(loader, pass)
  local pool = setmetatable({loader = loader, threads = {}, jobs = tide.channel()}, Pool)
  local running = {}
  for id = 1, loader.num_workers do
    local results = tide.channel(loader.prefetch_factor or 2)
    running[id] = results
    pool.threads[id] = tide.thread(make_stream, worker_of(loader, id, pass,
      {results = results, pass = pass, size = loader.batch_size, drop_last = loader.drop_last}))
  end
  local turn = 1
  local step
  local function given(_, number, succeeded, ...)
    if number == nil then -- this worker's copy has ended
      table.remove(running, turn)
      if turn > #running then turn = 1 end
      return step()
    end
    if not succeeded then raise("%s", (...)) end
    turn = turn % #running + 1
    return ...
  end
  function step()
    if #running == 0 then return nil end
    return given(wait_for(pool, running[turn]))
  end
  return step, pool
end

return workers
