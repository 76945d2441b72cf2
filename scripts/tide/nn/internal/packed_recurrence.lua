-- A recurrent layer over packed sequences, which have different lengths.
local tide = require "tide"

--- Runs one layer in one direction over packed data; returns the packed outputs and the last state of each sequence.
--- `step(input, state)` returns a step's output and next state; `inputs` are the concatenated inputs of all steps;
--- `sizes` has the number of sequences in each step; `state` is the initial state, a list of tensors (n, size).
local function packed_recurrence(step, inputs, sizes, state, backwards)
  local steps, outputs, ended = inputs:split(sizes, 1), {}, {}
  local states = #state

  --- Rows first..last of each tensor of a state.
  local function rows(from, first, last)
    local part = {}
    for i = 1, states do part[i] = from[i]:narrow(1, first, last - first + 1) end
    return part
  end

  --- Concatenates the tensors of two states.
  local function below(upper, lower)
    local both = {}
    for i = 1, states do both[i] = tide.cat({upper[i], lower[i]}, 1) end
    return both
  end

  local start, now = state, nil
  if backwards then
    -- Starts at the end of the longest sequence; others join at their ends.
    now = rows(start, 1, sizes[#sizes])
    for t = #sizes, 1, -1 do
      local before = sizes[t + 1] or sizes[t]
      if sizes[t] > before then now = below(now, rows(start, before + 1, sizes[t])) end
      outputs[t], now = step(steps[t], now)
    end
    return tide.cat(outputs, 1), now
  end
  now = start
  for t = 1, #sizes do
    local before = sizes[t - 1] or sizes[t]
    if sizes[t] < before then
      table.insert(ended, 1, rows(now, sizes[t] + 1, before))
      now = rows(now, 1, sizes[t])
    end
    outputs[t], now = step(steps[t], now)
  end
  local last = {}
  for i = 1, states do
    local parts = {now[i]}
    for _, part in ipairs(ended) do parts[#parts + 1] = part[i] end
    last[i] = #parts == 1 and now[i] or tide.cat(parts, 1)
  end
  return tide.cat(outputs, 1), last
end

return packed_recurrence
