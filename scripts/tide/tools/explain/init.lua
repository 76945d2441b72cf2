-- tide.explain: the kernels that the ops of a function, or the recorded ops, become.
local Explanation = require "tide.tools.explain.explanation"
local checked = require "tide.internal.declare.checked"
local native = require("tide.native").explain
local tide = require "tide"

--- Calls fn once and returns an explanation and fn's results: the kernels of its ops, why they are not fused further,
--- their FLOPs, bytes and bound. For a tensor: the ops recorded for its device, not flushed. Does not wait. Steps are
--- explanation[1], ...; fields of a step: number, kind ("loop", "compute", "copy"), name, ops, lines, window, device,
--- shape, reads, writes, bytes, flops, intensity, least_ms and bound. explanation.windows and explanation.notes explain
--- what cut windows and what was not fused.
---@param fn function | tensor  the function to call, or a tensor
---@example
--- local x = tide.ones(4)
--- tide.flush()
--- #tide.explain(function() return (x * 2 + 1):sum() end) --> 1
local explain = checked("explain", function(target)
  if tide.is_tensor(target) then
    local window, state = native.recorded(target)
    return Explanation({window}, state)
  end
  local capture <close> = native.capture()
  local results = table.pack(target())
  return Explanation(capture:windows()), table.unpack(results, 1, results.n)
end)

return explain
