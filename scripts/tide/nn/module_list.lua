-- nn.ModuleList: a list of modules, which registers their parameters.
local define = require "tide.internal.declare.define"
local ModuleSequence = require "tide.nn.internal.module_sequence"
local raise = require "tide.internal.raise"

--- Modules in a list: list[1], list:append(module), insert, extend, pop.
---@param modules? module[]  the modules
---@see nn.Sequential nn.Module nn.Parameter
---@example
--- #nn.ModuleList{nn.Linear(3, 2), nn.ReLU()} --> 2
local ModuleList, read = define("nn.ModuleList", ModuleSequence)

function ModuleList:init(...) self:extend(read(...).modules or {}) end

function ModuleList:forward() raise("ModuleList: it only stores modules: call them yourself") end

return ModuleList
