-- nn.Flatten: makes one dimension of several; by default of all but the first, which counts
-- samples.
local define = require "tide.internal.declare.define"
local Module = require "tide.nn.module"

--- Joins dimensions, by default all but the first.
---@param start_dim integer = 2  the first dimension to join, from 1
---@param end_dim integer = -1  the last one
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
