-- All rules. A rule:
--   name      name of its findings
--   looks_at  a list of the facts (facts.lua): find is called for each of its rows
--   find      (row, facts): nil, or the savings in milliseconds, and values for the texts
--   text      format of the problem
--   fix      format of the fix; %2$s is the second value
--   wins      "results" or "memory", if not time
--   unless    rules that explain the same line better
local rules = {}
for _, group in ipairs {"training", "transfers", "waits", "kernels"} do
  for _, rule in ipairs(require("tide.tools.advise.rules." .. group)) do rules[#rules + 1] = rule end
end
return rules
