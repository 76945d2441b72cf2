-- data.ListDataset: samples that are the entries of a list.
local class = require "tide.internal.class"
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local ListDataset = class("ListDataset", Dataset)

--- data.ListDataset(list): sample i is list[i]. Where a dataset is taken, a list means the same.
function ListDataset:init(list)
  if not protocol.is_list(list) then
    raise("ListDataset: expected a list of samples, got %s", protocol.kind_of(list))
  end
  self.list = list
end

function ListDataset:__len() return #self.list end

function ListDataset:get(i) return self.list[protocol.check_position("ListDataset", i, #self.list)] end

return ListDataset
