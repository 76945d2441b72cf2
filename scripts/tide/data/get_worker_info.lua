-- data.get_worker_info: which worker of a loader runs here.

--- nil, as in all code that no worker runs.
local function get_worker_info() return nil end

return get_worker_info
