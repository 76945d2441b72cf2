-- nn.Sequential: runs its children in order; they are its elements 1, 2, ...
local define = require "tide.internal.declare.define"
local class = require "tide.internal.class"
local Module = require "tide.nn.module"
local ModuleSequence = require "tide.nn.internal.module_sequence"

--- Runs modules in order; net[1] is the first. A child {name, module} is also net.name; net:append(child),
--- insert(position, child), extend(children), pop(position).
---@param module... module | table  the modules in order, each alone or as {name, module}
---@errors of a child: the message names it, such as net[2]
---@see nn.ModuleList nn.ModuleDict nn.Module
---@example
--- local net = nn.Sequential({"linear", nn.Linear(3, 2)}, nn.ReLU())
--- net:pop()
--- net(tide.ones(4, 3)).shape, net.linear.weight.shape --> {4, 2}, {2, 3}
local Sequential = define("nn.Sequential", ModuleSequence)

function Sequential:init(...)
  local first = ...
  -- A table of modules is a list of children; {name, module} is one child, and a class is a mistake.
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
