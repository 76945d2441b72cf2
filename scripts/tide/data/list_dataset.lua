-- data.ListDataset: samples that are the entries of a list.
local define = require "tide.internal.declare.define"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

--- A data set of the entries of a list. Functions that expect a data set also accept the list itself.
---@param list table  the samples
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.Subset data.random_split
---@example
--- tide.data.ListDataset({7, 8, 9}):get(2) --> 8
local ListDataset, read = define("data.ListDataset", Dataset)

function ListDataset:init(...)
  local list = read(...).list
  if not protocol.is_list(list) then
    raise("ListDataset: expected a list of samples, got %s", protocol.kind_of(list))
  end
  self.list = list
end

function ListDataset:__len() return #self.list end

function ListDataset:get(i) return self.list[protocol.check_position("ListDataset", i, #self.list)] end

return ListDataset
