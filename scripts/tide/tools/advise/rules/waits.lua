-- Rules on waits of the script while the device is idle.
local site = require "tide.tools.advise.site"

local kManyReads <const>, kManyWaits <const> = 32, 4
local kSlowLoader <const> = 0.15 -- of the time

--- A share of the savings if the script never waited: then both sides overlap completely.
local function won_without(ms, facts)
  if facts.wait_ms == 0 then return 0 end
  return math.min(facts.wait_ms, facts.idle_ms) * ms / facts.wait_ms
end

return {
  {
    name = "element by element", looks_at = "reads",
    text = "%d single elements are read, one by one",
    fix = "x:tolist() reads an entire tensor; sums, masks and x:gather need no reads",
    find = function(row, facts)
      if row.count < kManyReads then return nil end
      local line = facts.lines[site.key(row)]
      return (line and line.host_ms or 0) * (1 - 1 / row.count), row.count
    end,
  },
  {
    name = "wait in a loop", looks_at = "waits", unless = {"element by element"},
    text = "%s waits %d times, for %s",
    fix = "%4$s",
    find = function(row, facts)
      if row.calls < kManyWaits then return nil end
      local awaited = row.awaited or "all queued work"
      return won_without(row.wait_ms, facts), row.name, row.calls, awaited, row.advice
    end,
  },
  {
    name = "slow data loader", looks_at = "loaders",
    text = "the loader takes %.1f ms for %d batches while the device is idle",
    fix = "num_workers = %3$d reads batches while the device works",
    find = function(row, facts)
      local won = math.min(row.ms, facts.idle_ms)
      if row.batches < 2 or won < kSlowLoader * facts.wall_ms then return nil end
      return won * (1 - 1 / row.batches), row.ms, row.batches, math.max(2, 2 * row.workers)
    end,
  },
}
