-- nn.Sequential: runs its children one after the other; they are its elements 1, 2, ...
local class = require "tide.class"
local Module = require "tide.nn.module"
local raise = require "tide.raise"

local Sequential = class("Sequential", Module)

function Sequential:init(...)
  local children = {...}
  -- One table of modules is as good as the modules one by one.
  if #children == 1 and not class.is_a(children[1], Module) and type(children[1]) == "table" then
    children = children[1]
  end
  self:add(table.unpack(children))
end

--- Appends modules and returns the container.
function Sequential:add(...)
  for i, child in ipairs({...}) do
    if not class.is_a(child, Module) then
      raise("Sequential: argument %d is no module but a %s", i, type(child))
    end
    self[#self + 1] = child
  end
  return self
end

--- The same as add, in PyTorch's word.
Sequential.append = Sequential.add

function Sequential:forward(x)
  for i = 1, #self do x = self[i](x) end
  return x
end

return Sequential
