-- Modules that compute on several devices, as Gluon's networks that were initialized on a list.
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The first tensor of the inputs.
local function first_tensor(...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if tide.is_tensor(value) then return value end
  end
end

--- Lets `module`, whose parameters lie on the first of the devices, compute on each of them: where
--- the input lies. The parameters are then copied there for the call, and their gradients come back
--- from there and add up; buffers that the call changes stay as they were.
local function on_devices(module, devices)
  local known = {}
  for i, device in ipairs(devices) do known[tide.device(device)] = i end
  local home, forward = tide.device(devices[1]), module.forward
  rawset(module, "forward", function(self, ...)
    local x = first_tensor(...)
    if not x or x.device == home or not known[x.device] then return forward(self, ...) end
    local copies = {}
    for _, below in ipairs(self:modules()) do
      if below.unbuilt then
        raise("%s: the first batch of a lazy network must lie on %s, its first device",
          getmetatable(self).name, tostring(home))
      end
    end
    for _, kind in ipairs {"named_parameters", "named_buffers"} do
      for name, tensor in self[kind](self) do copies[name] = tensor:to(x.device) end
    end
    local own = self.forward
    rawset(self, "forward", forward)
    local _ <close> = setmetatable({}, {__close = function() rawset(self, "forward", own) end})
    return require "tide.nn.internal.functional_call"(self, copies, {n = select("#", ...), ...})
  end)
  return module
end

return on_devices
