-- What is seen of a network in one step: inputs, outputs of layers, parameters, gradients and updates.
local class = require "tide.internal.class"
local each_tensor = require "tide.tools.watch.each_tensor"
local fields = require "tide.nn.internal.module_fields"
local native = require "tide.native"
local place = require "tide.nn.internal.place"
local script_level = require "tide.internal.script_level"
local statistics = require "tide.tools.watch.statistics"
local tide = require "tide"

local kMostOutputs <const> = 8 -- of a module in a forward pass that have a row
local kDeadAfter <const> = 10  -- samples in a row in which a unit gave only 0

-- Modules that give 0 for half of what there is: a unit that always gives 0 does not learn any more.
local kRectifiers <const> = {ReLU = true, ReLU6 = true, Threshold = true}

-- Fields: net; step (its number); memory (by key of a row: what the next sample must know of it, {since, idle,
-- looks}); places (by module, how scripts reach it); modules (a list of {path as in state_dict, module}); undo
-- (functions that take hooks away). Of the last forward pass: rows (a list of {key, kind, step, layer, class, name,
-- parameter, number, line, size, units, figures}), outputs (by module, how many rows it has), last_output,
-- weight_dims (of the last layer with weights), parameters (a list of {path, module, name, parameter, value}) with
-- the values before the step. called (whether the network itself was), inside (whether it runs). Of a sample that is
-- over: values (the figures of all rows, unread).
local Sample = class "Sample"

--- Hooks see each forward pass of the network until `close`.
function Sample:init(net, step, memory)
  self.net, self.step, self.memory, self.modules, self.undo = net, step, memory, {}, {}
  self.places = place.all(net, "net")
  self:begin_pass()
  local undo = self.undo
  undo[1] = net:register_forward_pre_hook(function(_, inputs) self:see_inputs(inputs) end)
  for path, module in net:named_modules() do
    self.modules[#self.modules + 1] = {path, module}
    undo[#undo + 1] = module:register_forward_hook(function(_, _, output) self:see_outputs(path, module, output) end)
  end
  undo[#undo + 1] = net:register_forward_hook(function() self.inside = false end)
end

--- Takes the hooks away.
function Sample:unhook()
  for _, remove in ipairs(self.undo) do remove() end
  self.undo = {}
end

function Sample:begin_pass()
  self.rows, self.outputs, self.weight_dims, self.last_output, self.parameters = {}, {}, 2, nil, nil
end

--- "train.lua:12", the line of the script that runs; nil if there is none.
local function script_line()
  local level = script_level()
  local info = level and debug.getinfo(level, "Sl")
  return info and ("%s:%d"):format(info.short_src, info.currentline) or nil
end

--- Adds a row for the values of a tensor. `entry` has its kind, module, name, and optionally parameter and number.
function Sample:add(entry, x)
  local key = ("%s %s %d"):format(entry.kind, entry.name, entry.number or 1)
  local memory = self.memory[key] or {}
  self.memory[key] = memory
  entry.key, entry.step, entry.layer, entry.size = key, self.step, self.places[entry.module], x:numel()
  entry.module, entry.class = nil, place.kind(entry.module)
  local dead
  if entry.watches_units then
    memory.idle = statistics.idle_runs(x, self.weight_dims, memory.idle)
    memory.looks = (memory.looks or 0) + 1
    entry.units, entry.watches_units = memory.idle.shape[1], nil
    dead = statistics.dead_units(memory.idle, math.min(memory.looks, kDeadAfter))
  end
  entry.figures, memory.since = statistics.figures(x, self.step, memory.since, dead)
  self.rows[#self.rows + 1] = entry
end

-- Forward -----------------------------------------------------------------------------------------

--- Keeps the values that parameters have before the step.
function Sample:keep_parameters()
  if self.parameters then return end
  self.parameters = {}
  local seen = {}
  for _, entry in ipairs(self.modules) do
    local path, module = entry[1], entry[2]
    for name, parameter in fields.each(module, "parameter") do
      if not seen[parameter] and parameter:numel() > 0 then
        seen[parameter] = true
        self.parameters[#self.parameters + 1] = {
          path = path == "" and name or path .. "." .. name, module = module, name = name,
          parameter = parameter, value = native.snapshot(parameter):detach(),
        }
      end
    end
  end
end

--- A forward pass of the network begins: the one before it in this step, as of a part of a batch, is forgotten.
function Sample:see_inputs(inputs)
  local _ <close> = tide.no_grad()
  self:begin_pass()
  self.called, self.inside = true, true
  self:keep_parameters()
  local line = script_line()
  each_tensor(inputs, function(x)
    self:add({kind = "input", module = self.net, name = "net", number = #self.rows + 1, line = line}, x:detach())
  end)
end

--- A module has given an output. Those of modules that only pass on what a part gave have no row; neither has
--- what is computed a second time on the way back.
function Sample:see_outputs(path, module, output)
  if self.called and not self.inside then return end
  local _ <close> = tide.no_grad()
  self:keep_parameters()
  local weight = rawget(module, "weight")
  if tide.is_tensor(weight) and weight:dim() >= 2 then self.weight_dims = weight:dim() end
  local line
  each_tensor(output, function(x)
    local number = (self.outputs[module] or 0) + 1
    if rawequal(x, self.last_output) or number > kMostOutputs then return end
    self.outputs[module], self.last_output, line = number, x, line or script_line()
    self:add({
      kind = "activation", module = module, name = path == "" and "net" or path, number = number, line = line,
      watches_units = kRectifiers[getmetatable(module).name],
    }, x:detach())
  end)
end

-- After the step ----------------------------------------------------------------------------------

--- The line of the last forward pass of a module: that of its first output.
local function lines_of(rows)
  local lines = {}
  for _, row in ipairs(rows) do lines[row.layer] = lines[row.layer] or row.line end
  return lines
end

--- Samples the parameters after the step, and ends the sample. The results are then in `values`.
function Sample:close()
  self:unhook()
  if not self.parameters then return end
  local _ <close> = tide.no_grad()
  local lines = lines_of(self.rows)
  local step_line = script_line()
  for _, entry in ipairs(self.parameters) do
    local parameter, value = entry.parameter, entry.value
    local function add(kind, x)
      if not x:is_floating_point() then return end
      self:add({
        kind = kind, module = entry.module, name = entry.path, parameter = entry.name,
        line = kind == "update" and step_line or lines[self.places[entry.module]],
      }, x)
    end
    add("parameter", value)
    if parameter.requires_grad and parameter.grad then
      add("gradient", parameter.grad:detach())
      add("update", parameter:detach() - value)
    end
  end
  self.parameters, self.outputs, self.last_output = nil, nil, nil
  self:gather()
  for _, row in ipairs(self.rows) do row.figures = nil end
end

--- Puts the figures of all rows into one tensor, `values`, unread.
function Sample:gather()
  if #self.rows == 0 then return end
  local vectors, device = {}, self.rows[1].figures.device
  for i, row in ipairs(self.rows) do vectors[i] = row.figures:to {device = device, non_blocking = true} end
  self.values = tide.stack(vectors)
end

--- The rows by layer, in the order of the layers in the network.
function Sample:by_layer()
  local by_layer, rows = {}, {}
  for _, row in ipairs(self.rows) do
    local list = by_layer[row.layer] or {}
    by_layer[row.layer] = list
    list[#list + 1] = row
  end
  for _, entry in ipairs(self.modules) do
    for _, row in ipairs(by_layer[self.places[entry[2]]] or {}) do rows[#rows + 1] = row end
  end
  return rows
end

return Sample
