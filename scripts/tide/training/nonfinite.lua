-- Finds where a loss that is nan or infinite comes from.
local hooks = require "tide.training.hooks"
local raise = require "tide.internal.raise"
local tide = require "tide"

local nonfinite = {}

--- Whether a tensor has a value that is nan or infinite.
local function is_bad(tensor)
  return tensor:is_floating_point() and not tensor:isfinite():all():item()
end

--- Whether one of the tensors in a value is bad.
local function has_bad(value)
  if tide.is_tensor(value) then return is_bad(value) end
  if type(value) ~= "table" then return false end
  for _, entry in next, value do
    if has_bad(entry) then return true end
  end
  return false
end

--- "net[4] (Linear 10 -> 2)" for the module at a path of names as in state_dict.
local function describe(net, path, module)
  local text, parent = "net", net
  for step in path:gmatch "[^.]+" do
    for name, child in parent:named_children() do
      local own = math.type(name) and tostring(name - 1) or name
      if own == step then
        text = text .. (math.type(name) and ("[%d]"):format(name) or "." .. name)
        parent = child
        break
      end
    end
  end
  local sizes, kind = module:describe(), getmetatable(module).name
  return ("%s (%s)"):format(text, sizes == "" and kind or kind .. " " .. sizes)
end

--- The names of a module's own parameters of which `which(parameter)` is bad.
local function own_parameters(module, which)
  local names = {}
  for name, parameter in module:named_parameters() do
    local tensor = not name:find(".", 1, true) and which(parameter)
    if tensor and is_bad(tensor) then names[#names + 1] = name end
  end
  return names
end

local function itself(parameter) return parameter end

--- Runs `compute` and says which module gave the first output that is not finite; nil if none.
local function first_output(net, compute)
  local found
  local undo = {}
  for path, module in net:named_modules() do
    undo[#undo + 1] = module:register_forward_hook(function(_, inputs, output)
      if not found and has_bad(output) then
        found = {module = module, place = describe(net, path, module), from_input = has_bad(inputs)}
      end
    end)
  end
  local ran, problem = pcall(compute)
  for _, remove in ipairs(undo) do remove() end
  if not ran then return nil, tostring(problem) end
  return found
end

--- What is bad in the gradients of the module and all below it.
local function bad_gradients(net)
  for path, module in net:named_modules() do
    local names = own_parameters(module, function(parameter) return parameter.grad end)
    if #names > 0 then
      return ("the gradient of %s of %s"):format(table.concat(names, " and "),
        describe(net, path, module))
    end
  end
end

--- A sentence on where it comes from.
local function find(loop)
  local trainer = loop.trainer
  local net = trainer.task.module
  if has_bad(loop.current) then return "the batch itself has values that are nan or infinite" end
  local silent = setmetatable({log = function() end}, {__index = trainer.values})
  local values, random = trainer.values, tide.get_rng_state()
  trainer.values = silent
  local found, problem = first_output(net, loop.compute)
  trainer.values = values
  tide.set_rng_state(random)
  if problem then return "the forward could not be run again: " .. problem end
  local gradients = bad_gradients(net)
  if not found then
    return "all modules give finite outputs for this batch: it arises in the loss" ..
      (gradients and ", or from " .. gradients or "")
  end
  local names = own_parameters(found.module, itself)
  if #names > 0 then
    return ("%s has nan or infinite values in its %s, from a step before"):format(found.place,
      table.concat(names, " and "))
  end
  return ("it first appears in the output of %s, whose parameters are finite"):format(found.place)
end

--- Raises the error for a loss that was finite in `good` batches and then was not.
function nonfinite.fail(loop, good)
  local trainer = loop.trainer
  trainer.bar:clear()
  local _ <close> = tide.no_grad()
  local kept
  for _, callback in ipairs(trainer.callbacks) do
    local path = hooks.method(callback, "last_path")
    kept = kept or path and path(callback)
  end
  raise("fit: the loss is nan or infinite since batch %d of this training " ..
    "(noticed behind epoch %d, batch %d): %s%s%s", good + 1, trainer.current_epoch,
    loop.batch, find(loop),
    kept and "; the last good checkpoint is " .. kept or "",
    trainer.options.detect_anomaly and "" or "; {detect_anomaly = true} stops at the op")
end

return nonfinite
