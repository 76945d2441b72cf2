-- All rules. A rule:
--   name      what a finding is called
--   looks_at  which list of the facts (facts.lua): find is called for each of its rows
--   find      (row, facts): nil, or what would be won, in milliseconds, and values for the texts
--   text      what is wrong, a format
--   mend      what to do about it, a format; %2$s is the second value
--   wins      "results" or "memory", if it is not time
--   unless    rules that explain the same line better
local rules = {}
for _, group in ipairs {"training", "transfers", "waits", "kernels"} do
  for _, rule in ipairs(require("tide.advise.rules." .. group)) do rules[#rules + 1] = rule end
end
return rules
