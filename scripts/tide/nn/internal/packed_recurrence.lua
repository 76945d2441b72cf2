-- A recurrent layer over packed sequences, which end one after the other.
local tide = require "tide"

--- One layer in one direction over packed data: the outputs, packed, and the last state of each
--- sequence. `step(input, state)` gives a step's output and next state; `inputs` is what it is
--- given of all steps, one after the other; `sizes` are the sequences that take part in each step,
--- and `state` is where they start, a list of tensors (n, size).
local function packed_recurrence(step, inputs, sizes, state, backwards)
  local steps, outputs, ended = inputs:split(sizes, 1), {}, {}
  local states = #state

  --- Rows first..last of each tensor of a state.
  local function rows(from, first, last)
    local part = {}
    for i = 1, states do part[i] = from[i]:narrow(1, first, last - first + 1) end
    return part
  end

  --- Tensors of two states one below the other.
  local function below(upper, lower)
    local both = {}
    for i = 1, states do both[i] = tide.cat({upper[i], lower[i]}, 1) end
    return both
  end

  local start, now = state, nil
  if backwards then
    -- From the longest sequence's end on, others join as their ends come.
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
