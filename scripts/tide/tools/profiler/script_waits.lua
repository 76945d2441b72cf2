-- The waits of a script that are not there to measure something.
local kMeasuring <const> = {
  synchronize = true, tic = true, toc = true, benchmark = true, profile = true, elapsed_time = true,
  event = true, ["queue full"] = true, -- the script is ahead of the device, as it should be
}

local function word(row) return ("%s %s:%d"):format(row.name, row.file or "?", row.line or 0) end

--- The rows of a trace's waits, and the milliseconds of all. A read from an accelerator waits for
--- the value and for its way: that counts as one.
return function(trace)
  local waits, ms, transfers = {}, 0, {}
  for _, part in ipairs(trace:rows "part") do
    local known = transfers[word(part)] or 0
    if part.kind == "transfer" then transfers[word(part)] = known + part.calls end
  end
  for _, row in ipairs(trace:rows "wait") do
    if not kMeasuring[row.name] then
      row.calls = math.min(row.calls, transfers[word(row)] or row.calls)
      waits[#waits + 1], ms = row, ms + row.wait_ms
    end
  end
  return waits, ms
end
