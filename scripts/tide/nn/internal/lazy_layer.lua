-- Lazy layers, which infer their input channels from the first batch.
local define = require "tide.internal.declare.define"

--- Makes the lazy class that is declared as `name` of a class with these methods: take(given) sets all options except
--- the input channels, channels_of(x) finds those in an input, build(channels) creates the parameters.
return function(name, Layer)
  local Lazy, read = define(name, Layer)

  function Lazy:init(...)
    self:take(read(...))
    self.unbuilt = true
  end

  function Lazy:forward(x, ...)
    if self.unbuilt then
      local channels, placement = self:channels_of(x), self:placement()
      self:place(placement.device or x.device, placement.dtype or x.dtype)
      self:build(channels)
      self.unbuilt = false
    end
    return Layer.forward(self, x, ...)
  end

  return Lazy
end
