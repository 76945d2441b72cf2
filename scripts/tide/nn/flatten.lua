-- nn.Flatten: flattens several dimensions into one, by default all except the first (the batch).
local define = require "tide.internal.declare.define"
local Module = require "tide.nn.module"

--- Flattens dimensions into one, by default all except the first.
---@param start_dim integer = 2  first dimension to flatten, from 1
---@param end_dim integer = -1  last dimension to flatten
---@see nn.Unflatten x:flatten x:unflatten
---@example
--- nn.Flatten()(tide.ones(2, 3, 4)).shape --> {2, 12}
local Flatten, read = define("nn.Flatten", Module)

function Flatten:init(...)
  local given = read(...)
  self.start_dim, self.end_dim = given.start_dim, given.end_dim
end

function Flatten:forward(x) return x:flatten(self.start_dim, self.end_dim) end

return Flatten
