-- data.get_worker_info: the current worker of a loader.
local checked = require "tide.internal.declare.checked"
local workers = require "tide.data.workers"

--- Returns {id, num_workers, seed, dataset} in a worker of a loader, with id counted from 1; nil elsewhere.
---@example
--- tide.data.get_worker_info() --> nil
local get_worker_info = checked("data.get_worker_info", function() return workers.info() end)

return get_worker_info
