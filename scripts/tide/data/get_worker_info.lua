-- data.get_worker_info: which worker of a loader runs here.
local workers = require "tide.data.workers"

--- In a worker of a DataLoader {id, num_workers, seed, dataset}: its number from 1, how many there
--- are, its seed, and its copy of the data set. nil elsewhere.
local function get_worker_info() return workers.info() end

return get_worker_info
