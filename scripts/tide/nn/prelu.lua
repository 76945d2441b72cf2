-- nn.PReLU: x; below 0, a learned slope times x.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"

--- x for x > 0, else x times a learned slope.
---@param num_parameters integer = 1  number of slopes: 1, or the number of channels
---@param init number = 0.25  initial value of the slopes
---@use nn: device = nil, dtype = nil
---@formula x if x > 0, else weight x
---@see nn.LeakyReLU
---@example
--- nn.PReLU()(tide.tensor{-2.0, 3}) --> {-0.5, 3.0}
local PReLU, read = define("nn.PReLU", Module)

function PReLU:init(...)
  local given = read(...)
  self:place(given.device, given.dtype)
  self.num_parameters = given.num_parameters
  self:parameter("weight", {given.num_parameters}, function(weight)
    init.constant_(weight, given.init)
  end)
end

function PReLU:forward(x) return F.prelu(x, self.weight) end

function PReLU:describe() return ("%d slopes"):format(self.num_parameters) end

return PReLU
