-- nn.ModuleList: modules in a list, whose parameters count.
local class = require "tide.internal.class"
local ModuleSequence = require "tide.nn.internal.module_sequence"
local raise = require "tide.internal.raise"

local ModuleList = class("ModuleList", ModuleSequence)

--- nn.ModuleList({a, b, c}): list[1], #list, ipairs(list).
function ModuleList:init(modules) self:extend(modules or {}) end

function ModuleList:forward() raise("ModuleList: holds modules, but does not call them") end

return ModuleList
