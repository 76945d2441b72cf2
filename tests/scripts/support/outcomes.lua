-- Results of calls in a form that can be kept and compared: lazy calls with the same
-- calls done eagerly.
local compare = require "tide.test.compare"
local tide = require "tide"

local outcomes = {}

local kMostElements <const> = 5000
local kDeepest <const> = 3

--- A message without what may differ: addresses, file names, stream numbers, measured
--- times, and which call notices that memory is short.
local function cleaned(message)
  message = tostring(message):gsub("0x%x+", "0x"):gsub("/tmp/lua_%w+", "")
    :gsub("stream %d+ of", "a stream of"):gsub("host [%d.]+ %a+, device .* runs", "a benchmark")
  return message:match "out of memory" or message
end

--- A tensor as {kind, form, bytes}; reading it may raise a later error.
local function of_tensor(x)
  local form = ("%s (%s) %s%s"):format(x.dtype, table.concat(x.shape, ", "), tostring(x.device),
    x.requires_grad and " with gradient" or "")
  local outcome = {kind = "tensor", form = form, dtype = x.dtype}
  local read = x:detach()
  if read:numel() > kMostElements then read = read:flatten():narrow(1, 1, kMostElements) end
  outcome.bytes = read:bytes()
  return outcome
end

--- The present value. `refused(message)` is called with errors of reading it.
function outcomes.of(value, refused, depth)
  depth = depth or 1
  if tide.is_tensor(value) then
    local ok, outcome = pcall(of_tensor, value)
    if ok then return outcome end
    refused(outcome)
    return {kind = "error", form = cleaned(outcome)}
  end
  if type(value) == "table" and not getmetatable(value) and depth < kDeepest then
    local outcome = {kind = "table", form = "table of " .. #value}
    for i = 1, math.min(#value, 8) do outcome[i] = outcomes.of(value[i], refused, depth + 1) end
    return outcome
  end
  if type(value) == "number" and value ~= value then return {kind = "number", form = "nan"} end
  local plain = type(value) == "number" or type(value) == "string" or type(value) == "boolean"
  return {kind = type(value), form = plain and cleaned(value) or type(value)}
end

--- The outcome of a call that raised `message`.
function outcomes.of_error(message)
  return {kind = "error", form = type(message) == "string" and cleaned(message) or type(message)}
end

--- Describes the difference between two outcomes; nil if there is none. All nans count as equal.
function outcomes.difference(lazy, eager)
  if lazy.kind ~= eager.kind or lazy.form ~= eager.form then
    return ("lazily %s, eagerly %s"):format(lazy.form, eager.form)
  end
  if lazy.bytes ~= eager.bytes then
    local difference = compare.identical(tide.from_bytes(lazy.bytes, lazy.dtype),
      tide.from_bytes(eager.bytes, eager.dtype))
    return difference and ("%s: lazily %s"):format(lazy.form, difference)
  end
  for i = 1, #lazy do
    local difference = outcomes.difference(lazy[i], eager[i])
    if difference then return ("[%d]: %s"):format(i, difference) end
  end
end

return outcomes
