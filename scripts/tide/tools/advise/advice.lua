-- What tide.advise returns: findings of the rules in an order, with a text.
local class = require "tide.internal.class"
local rules = require "tide.tools.advise.rules"
local site = require "tide.tools.advise.site"

-- Fields: findings, a list of {rule, file, line, text, fix, wins, win_ms}; wall_ms; device, the
-- name of the main device, and busy_ms; nil if nothing ran.
local Advice = class "Advice"

--- string.format with the values in order, or selected as by "%2$s".
local function fill(format, values)
  local named = {}
  local plain = format:gsub("%%(%d)%$([%d%.]*%a)", function(place, form)
    named[#named + 1] = values[tonumber(place)]
    return "%" .. form
  end)
  if #named > 0 then return plain:format(table.unpack(named)) end
  return plain:format(table.unpack(values, 1, values.n))
end

--- Merges findings of one rule on one line: the text of the largest, the sum of the savings.
local function add(findings, by_line, finding)
  local known = by_line[site.key(finding)]
  if not known then
    findings[#findings + 1], by_line[site.key(finding)] = finding, finding
    return
  end
  if finding.win_ms > known.win_ms then known.text, known.fix = finding.text, finding.fix end
  known.win_ms = known.win_ms + finding.win_ms
end

local function is_explained(rule, row, found)
  for _, name in ipairs(rule.unless or {}) do
    if found[name][site.key(row)] then return true end
  end
  return false
end

local kRanks <const> = {results = 1, time = 2, memory = 3}

local function comes_before(a, b)
  if a.wins ~= b.wins then return kRanks[a.wins] < kRanks[b.wins] end
  if a.win_ms ~= b.win_ms then return a.win_ms > b.win_ms end
  return site.key(a) < site.key(b)
end

function Advice:init(facts)
  self.findings, self.wall_ms = {}, facts.wall_ms
  if facts.main then self.device, self.busy_ms = facts.main.name, facts.main.busy_ms end
  local found = {} -- by rule and line
  for _, rule in ipairs(rules) do
    found[rule.name] = {}
    for _, row in ipairs(facts[rule.looks_at]) do
      local values = table.pack(rule.find(row, facts))
      local win_ms = table.remove(values, 1)
      -- Rows without a line belong to the library, for example on a thread.
      if win_ms and row.file and not is_explained(rule, row, found) then
        add(self.findings, found[rule.name], {
          rule = rule.name, file = row.file, line = row.line,
          text = fill(rule.text, values), fix = fill(rule.fix, values),
          wins = rule.wins or "time", win_ms = win_ms,
        })
      end
    end
  end
  table.sort(self.findings, comes_before)
end

local function what_is_won(finding, wall_ms)
  if finding.wins == "results" then return "changes results" end
  if finding.wins == "memory" then return "would save memory" end
  return ("would save about %.1f ms of %.1f ms"):format(finding.win_ms, wall_ms)
end

local kShown <const> = 0.005 -- of the time: findings that would save less are only counted

function Advice:__tostring()
  if not self.device then
    return ("nothing to advise: no device had any work in %.1f ms"):format(self.wall_ms)
  end
  if #self.findings == 0 then
    return ("nothing to advise: %.1f ms, in which %s was busy for %.1f ms"):format(
      self.wall_ms, self.device, self.busy_ms)
  end
  local lines, small, small_ms = {}, 0, 0
  for _, finding in ipairs(self.findings) do
    if finding.wins == "time" and finding.win_ms < kShown * self.wall_ms then
      small, small_ms = small + 1, small_ms + finding.win_ms
    else
      lines[#lines + 1] = ("%s: %s (%s)\n    %s"):format(site.key(finding), finding.text,
        what_is_won(finding, self.wall_ms), finding.fix)
    end
  end
  if small > 0 then
    lines[#lines + 1] =
      ("%d more would save %.1f ms in total (advice.findings)"):format(small, small_ms)
  end
  return table.concat(lines, "\n")
end

return Advice
