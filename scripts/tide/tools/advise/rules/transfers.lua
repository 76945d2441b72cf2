-- Rules on unnecessary transfers.
local site = require "tide.tools.advise.site"
local source_line = require "tide.tools.profiler.source_line"

local kOften <const> = 4

--- Whether the line consists only of a call of x:to(...) or the like.
local function is_statement(text)
  text = text:gsub("%s*%-%-.*$", "")
  local subject, method, rest = text:match "^([%a_][%w_%.%[%]\"']*):([%a_]+)%s*%b()(.*)$"
  local converts = method == "to" or method == "cuda" or method == "cpu"
  return subject and converts and rest:match "^%s*;?%s*$" ~= nil
end

return {
  {
    name = "unused to", looks_at = "moves", wins = "results",
    text = "the result of :to is not used; the tensor has not moved",
    fix = "write x = x:to(...): only modules are moved in place",
    find = function(row)
      if row.file and is_statement(source_line(row.file, row.line)) then return 0 end
    end,
  },
  {
    name = "made on the host", looks_at = "creations",
    text = "%d tensors are created on the cpu and moved to %s",
    fix = "create them there: {device = \"%2$s\"} as the last argument",
    find = function(row, facts)
      if row.count < kOften then return nil end
      local ms = 0
      for key in pairs(row.moves) do ms = ms + (facts.transfer_ms[key] or 0) end
      return ms, row.count, row.device
    end,
  },
  {
    name = "moved again", looks_at = "moves", unless = {"unused to"},
    text = "%d of %d transfers to %s move tensors that are there already",
    fix = "move it once, before the loop, and keep the copy",
    find = function(row, facts)
      if row.repeated < 2 then return nil end
      local ms = facts.transfer_ms[site.key(row)] or 0
      return ms * row.repeated / row.count, row.repeated, row.count, row.device
    end,
  },
}
