-- nn.Sequential: runs its children one after the other; they are its elements 1, 2, ...
local class = require "tide.internal.class"
local Module = require "tide.nn.module"
local ModuleSequence = require "tide.nn.internal.module_sequence"

local Sequential = class("Sequential", ModuleSequence)

--- nn.Sequential(a, b), nn.Sequential{a, b}, or with names nn.Sequential{{"first", a}, {"last",
--- b}}.
function Sequential:init(...)
  local first = ...
  -- One table of modules is as good as the modules one by one; {name, module} is a child, a class a slip.
  local is_list = type(first) == "table" and not class.is_a(first, Module)
    and type(first[1]) ~= "string" and rawget(first, "__index") == nil
  if is_list and select("#", ...) == 1 then self:extend(first) else self:add(...) end
end

--- Appends modules and returns the container.
function Sequential:add(...)
  for i = 1, select("#", ...) do self:append((select(i, ...))) end
  return self
end

function Sequential:forward(x)
  for i = 1, #self do x = self[i](x) end
  return x
end

return Sequential
