-- nn.Dropout: in training sets a share p of the elements to zero and scales the others up to keep
-- the mean.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"
local raise = require "tide.raise"

local Dropout = class("Dropout", Module)

local read = arguments("Dropout", {{"p", 0.5}})

function Dropout:init(...)
  self.p = read(...).p
  if type(self.p) ~= "number" or not (self.p >= 0 and self.p <= 1) then
    raise("Dropout: p is a share between 0 and 1: got %s", tostring(self.p))
  end
end

function Dropout:forward(x) return F.dropout(x, self.p, self.training) end

function Dropout:describe() return ("p = %g"):format(self.p) end

return Dropout
