-- The objects whose methods the reference names: how signatures write them, and their classes.
local class = require "tide.internal.class"
local value_of = require "tide.reference.value_of"

local receivers = {}

receivers.list = {
  {name = "x", class = "tide.Tensor"},
  {name = "module", class = "tide.nn.Module"},
  {name = "optimizer", class = "tide.optim.Optimizer"},
  {name = "metric", class = "tide.metrics.Metric"},
  {name = "writer", class = "tide.loggers.SummaryWriter"},
  {name = "logger", class = "tide.loggers.Logger"},
  {name = "generator", class = "tide.Generator"},
  {name = "event", class = "tide.Event"},
  {name = "stream", class = "tide.Stream"},
  {name = "loader", class = "tide.data.DataLoader"},
  {name = "sampler", class = "tide.data.Sampler"},
  {name = "manager", class = "tide.training.CheckpointManager"},
  {name = "trainer", class = "tide.Trainer"},
  {name = "watch", class = "tide.Watch"},
  {name = "profile", class = "tide.Profile"},
  {name = "explanation", class = "tide.Explanation"},
  {name = "step", class = "tide.ExplainedStep"},
  {name = "thread", class = "tide.Thread"},
  {name = "channel", class = "tide.Channel"},
  {name = "figure", class = "tide.plot.Figure"},
  {name = "live", class = "tide.plot.Live"},
}

--- How signatures write an object before its methods ("module"); nil if the reference has none.
function receivers.of(value)
  local name = type(value) == "userdata" and (debug.getmetatable(value) or {}).__name
  for _, receiver in ipairs(receivers.list) do
    if receiver.class == name then return receiver.name end
    local found, made = pcall(value_of, receiver.class) -- not all classes are in a table of tide
    if found and class.is_a(value, made) then return receiver.name end
  end
end

return receivers
