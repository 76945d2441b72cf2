-- nn.Flatten: makes one dimension of several; by default of all but the first, which counts
-- samples.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local Module = require "tide.nn.module"

local Flatten = class("Flatten", Module)

local read = arguments("Flatten", {{"start_dim", 2}, {"end_dim", -1}})

function Flatten:init(...)
  local given = read(...)
  self.start_dim, self.end_dim = given.start_dim, given.end_dim
end

function Flatten:forward(x) return x:flatten(self.start_dim, self.end_dim) end

return Flatten
