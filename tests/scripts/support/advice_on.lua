-- Advice on facts written by hand.
local Advice = require "tide.tools.advise.advice"

--- The finding of a rule for a run of 10 ms with these facts, or nil; without a rule all
--- findings.
return function(rule, given)
  local facts = {
    wall_ms = 10, wait_ms = 0, idle_ms = 9, loader_ms = 0,
    lines = {}, transfer_ms = {}, backwards = {},
    main = {name = "cuda:0", busy_ms = 1},
  }
  for _, name in ipairs {
    "waits", "reads", "moves", "creations", "parts", "making", "devices", "module_calls", "losses",
    "loaders", "steps",
  } do facts[name] = {} end
  for name, value in pairs(given) do facts[name] = value end
  local advice = Advice(facts)
  if not rule then return advice end
  for _, found in ipairs(advice.findings) do
    if found.rule == rule then return found end
  end
end
