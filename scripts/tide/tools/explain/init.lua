-- tide.explain: the kernels that the ops of a function, or the recorded ops, become.
local Explanation = require "tide.tools.explain.explanation"
local kind_of = require "tide.internal.kind_of"
local native = require("tide.native").explain
local raise = require "tide.internal.raise"
local tide = require "tide"

--- tide.explain(fn) calls fn once and explains the windows that this thread flushed meanwhile: returns
--- the explanation and fn's results. tide.explain(x) explains the ops recorded for x's device, as if
--- they were flushed now; it does not flush or wait.
local function explain(target, ...)
  if select("#", ...) > 0 then raise("explain: takes 1 argument, got %d", 1 + select("#", ...)) end
  if tide.is_tensor(target) then
    local window, state = native.recorded(target)
    return Explanation({window}, state)
  end
  if type(target) ~= "function" and not (getmetatable(target) or {}).__call then
    raise("explain: argument 1 (fn): expected function or tensor, got %s", kind_of(target))
  end
  local capture <close> = native.capture()
  local results = table.pack(target())
  return Explanation(capture:windows()), table.unpack(results, 1, results.n)
end

return explain
