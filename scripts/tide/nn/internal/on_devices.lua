-- Modules that compute on several devices, like Gluon networks initialized with a list of devices.
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The first tensor of the inputs.
local function first_tensor(...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if tide.is_tensor(value) then return value end
  end
end

--- Makes `module`, whose parameters are on the first device, compute on the device of its input. On the other devices
--- it copies the parameters there for the call; their gradients are accumulated on the first device. Changes of
--- buffers are lost.
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
        raise("%s: the first batch of a lazy network must be on %s, its first device",
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
