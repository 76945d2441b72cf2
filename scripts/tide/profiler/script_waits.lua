-- The waits of a script that are not there to measure something.
local kMeasuring <const> = {
  synchronize = true, tic = true, toc = true, benchmark = true, profile = true, elapsed_time = true,
  event = true, ["queue full"] = true, -- the script is ahead of the device, as it should be
}

--- The rows of a trace's waits, and the milliseconds of all.
return function(trace)
  local waits, ms = {}, 0
  for _, row in ipairs(trace:rows "wait") do
    if not kMeasuring[row.name] then
      waits[#waits + 1], ms = row, ms + row.wait_ms
    end
  end
  return waits, ms
end
