-- The memory used by this process, as counted by the system.

--- Resident bytes.
local function resident()
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match "^VmRSS:%s+(%d+)"
    if kilobytes then return tonumber(kilobytes) * 1024 end
  end
  error "/proc/self/status does not say"
end

return resident
