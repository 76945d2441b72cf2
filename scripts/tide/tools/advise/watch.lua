-- Data of a run that a profile lacks, collected by wrapping library functions.
local add_hook = require "tide.internal.add_hook"
local call_hooks = require "tide.nn.internal.call_hooks"
local class = require "tide.internal.class"
local DataLoader = require "tide.data.data_loader"
local Interposition = require "tide.tools.advise.interpose"
local native = require "tide.native"
local Optimizer = require "tide.nn.optim.optimizer"
local site = require "tide.tools.advise.site"
local tide = require "tide"

local kConversions <const> = {"to", "cuda", "cpu", "copyto", "as_in_ctx"}
local kCreations <const> = {
  "arange", "empty", "eye", "from", "full", "linspace", "normal", "ones", "rand", "randint",
  "randn", "randperm", "range", "tensor", "zeros",
}

-- Tables of lines by key (site.key), with the fields that the functions below count:
-- moves, reads, creations, module_calls, backwards, losses, loaders, steps. clears: zero_ was
-- called.
local Watch = class "Watch"

--- The record of a line in a table of lines; nil without a line.
local function record(lines, line, fields)
  if not line then return nil end
  local key = site.key(line)
  if not lines[key] then
    for name, value in pairs(fields) do line[name] = value end
    lines[key] = line
  end
  return lines[key]
end

--- `stepped`: from the previous run's watch, for optimizers that have stepped: {parameter,
--- grad} of a gradient that was accumulated on one used by the last step.
function Watch:init(stepped)
  self.moves, self.reads, self.creations, self.module_calls = {}, {}, {}, {}
  self.backwards, self.losses, self.loaders, self.steps = {}, {}, {}, {}
  self.stepped, self.clears = stepped, false
  self.created = setmetatable({}, {__mode = "k"}) -- tensors on the host: records of their lines
  self.moved = setmetatable({}, {__mode = "k"})   -- tensors: devices that have a copy
  self.pending = {}                               -- calls of modules whose graph may be used yet
  self.functions = Interposition()
end

--- Begins to observe. After an error on the way, such as Ctrl-C, close cleans up.
function Watch:begin()
  self.unhook = add_hook(call_hooks, "after", function(...) self:see_module_call(...) end)
  self:watch_tensors()
  self:watch_trainings()
end

--- Restores all functions. May be called again if an interrupt ended it.
function Watch:close()
  self.functions:close()
  if self.unhook then self.unhook() end
end

Watch.__close = Watch.close

-- Tensors -----------------------------------------------------------------------------------------

function Watch:watch_tensors()
  local methods = native.methods
  for _, name in ipairs(kConversions) do
    self.functions:put(methods, name, function(convert)
      return function(x, ...)
        local y = convert(x, ...)
        self:see_move(site.of_caller(), x, y)
        return y
      end
    end)
  end
  for _, name in ipairs(kCreations) do
    self.functions:put(tide, name, function(create)
      return function(...)
        local x = create(...)
        self:see_creation(x)
        return x
      end
    end)
  end
  for name in pairs(methods) do
    if name:find "[^_]_$" then -- writes into x
      self.functions:put(methods, name, function(write)
        return function(x, ...)
          self.moved[x] = nil
          self.clears = self.clears or name == "zero_"
          return write(x, ...)
        end
      end)
    end
  end
  self.functions:put(methods, "item", function(item)
    return function(x)
      local value = item(x)
      -- A tensor with a storage offset is a part of a larger tensor.
      local row = x:storage_offset() > 0 and record(self.reads, site.of_caller(), {count = 0})
      if row then row.count = row.count + 1 end
      return value
    end
  end)
end

-- Tensor-like objects, for example under vmap, are ignored.
function Watch:see_creation(x)
  if not tide.is_tensor(x) or x.device.type ~= "cpu" then return end
  local row = record(self.creations, site.current(), {count = 0, moves = {}})
  if row then self.created[x] = row end
end

function Watch:see_move(line, x, y)
  local row = tide.is_tensor(x) and record(self.moves, line, {count = 0, repeated = 0})
  if not row then return end
  local device = tostring(y.device)
  row.count, row.device = row.count + 1, device
  if y.device == x.device then return end
  local created = self.created[x]
  if created then
    created.count, created.device = created.count + 1, device
    created.moves[site.key(row)] = true
  end
  local copies = self.moved[x] or {}
  if copies[device] then row.repeated = row.repeated + 1 end
  copies[device] = true
  self.moved[x] = copies
end

-- Trainings ---------------------------------------------------------------------------------------

local unhook_all = {
  __close = function(unhooks)
    for _, unhook in ipairs(unhooks) do unhook() end
  end,
}

--- Called before gradients are computed. Detects gradients accumulated on ones that a step has used,
--- until the result is closed.
function Watch:begin_backward()
  record(self.backwards, site.current(), {})
  for _, row in ipairs(self.pending) do row.unused = row.unused - 1 end
  self.pending = {}
  local unhooks = setmetatable({}, unhook_all)
  for optimizer, used in pairs(self.stepped) do
    local count = #unhooks
    for _, group in ipairs(optimizer.param_groups) do
      for _, parameter in ipairs(group.params) do
        unhooks[#unhooks + 1] = parameter.grad and parameter:register_hook(function()
          used.parameter, used.grad = parameter, parameter.grad
        end)
      end
    end
    if #unhooks == count then self.stepped[optimizer] = nil end -- all were cleared
  end
  return unhooks
end

function Watch:watch_trainings()
  local functions = self.functions
  local function before_backward(backward)
    return function(...)
      local _ <close> = self:begin_backward()
      return backward(...)
    end
  end
  functions:put(native.methods, "backward", before_backward)
  for _, name in ipairs {"backward", "grad"} do
    local _ = tide.autograd[name] -- loads it
    functions:put(tide.autograd, name, before_backward)
  end
  functions:put(Optimizer, "step", function(step)
    return function(optimizer, ...)
      local row = record(self.steps, site.current(), {count = 0, kept = 0})
      local used = self.stepped[optimizer]
      if row then
        -- A gradient that was cleared in between is another tensor now.
        local kept = used and used.grad and used.parameter.grad == used.grad
        row.count, row.kept = row.count + 1, row.kept + (kept and 1 or 0)
      end
      self.stepped[optimizer] = {}
      return step(optimizer, ...)
    end
  end)
  functions:put(native.functional, "cross_entropy", function(cross_entropy)
    return function(x, ...)
      local loss = cross_entropy(x, ...)
      self:see_loss(x)
      return loss
    end
  end)
  functions:put(DataLoader, "iter", function(iter)
    return function(loader)
      local step, state, first, closing = iter(loader)
      return self:timed(loader, step), state, first, closing
    end
  end)
end

--- Records, once per line, how far the rows of x are from probabilities: a scalar tensor.
function Watch:see_loss(x)
  local row = record(self.losses, site.current(), {})
  if not row or row.distance or not tide.is_tensor(x) or x:numel() == 0 then return end
  local _ <close> = tide.no_grad()
  local values = x:detach():float()
  local sums = values:sum(x:dim() == 1 and 1 or 2)
  row.distance = (sums - 1):abs():max() - values:min():clamp {max = 0}
end

--- Times the step function of a loader's iteration.
function Watch:timed(loader, step)
  local row
  return function()
    row = row or record(self.loaders, site.current(),
      {ms = 0, batches = 0, workers = loader.num_workers})
    local begin = native.profiler.now()
    local batch = table.pack(step())
    if row then
      row.ms = row.ms + (native.profiler.now() - begin) / 1e6
      if batch[1] ~= nil then row.batches = row.batches + 1 end
    end
    return table.unpack(batch, 1, batch.n)
  end
end

local function depends_on_mode(module)
  local name = getmetatable(module).name
  return name:find "Dropout" or name:find "BatchNorm"
end

local function needs_gradient(output) return tide.is_tensor(output) and output.requires_grad end

function Watch:see_module_call(module, _, output)
  local gradients = tide.is_grad_enabled()
  local in_training = not gradients and module.training and depends_on_mode(module)
  local line, is_outermost = site.of_outermost_module()
  local row = (in_training or is_outermost) and
    record(self.module_calls, line, {count = 0, unused = 0, name = getmetatable(module).name})
  if not row then return end
  if in_training then row.in_training = getmetatable(module).name end
  if not is_outermost then return end
  row.count = row.count + 1
  if gradients and not module.training and needs_gradient(output) then
    row.unused = row.unused + 1
    self.pending[#self.pending + 1] = row
  end
end

return Watch
