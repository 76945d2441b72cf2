-- How much memory this process has in use, as the system counts it.

--- Resident bytes.
local function resident()
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match "^VmRSS:%s+(%d+)"
    if kilobytes then return tonumber(kilobytes) * 1024 end
  end
  error "/proc/self/status does not say"
end

return resident
