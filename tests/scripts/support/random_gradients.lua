-- Random smooth programs of views, joins and in-place writes in float64, generated from a seed, whose
-- gradients can be compared with finite differences.
local tide = require "tide"

local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."
local new_random = dofile(here .. "/new_random.lua")

local kDims, kMostElements = 4, 60

--- One run of a program. A tensor of `tensors` may be written unless it, or its base,
--- is an input, or several of its elements share an address.
local Program = {}
Program.__index = Program

function Program:add(tensor, writable)
  if tensor:numel() > 0 and tensor:numel() <= kMostElements and tensor:dim() <= kDims then
    self.tensors[#self.tensors + 1] = tensor
    self.writable[tensor] = writable
  end
end

--- A tensor created so far, mostly a late one; with at least `dims` dimensions.
function Program:pick(dims)
  local first = math.max(1, #self.tensors - 8)
  for _ = 1, 20 do
    local x = self.tensors[self.random(first, #self.tensors)]
    if x:dim() >= (dims or 0) then return x end
  end
  return tide.stack({self.inputs[1], self.inputs[1]}, 1)
end

--- A tensor that broadcasts with x in elementwise ops.
function Program:partner(x)
  for _ = 1, 10 do
    local y = self:pick()
    if tide.equal(tide.tensor(y.shape), tide.tensor(x.shape)) then return y end
  end
  return self:pick():mean()
end

function Program:target(dims)
  for _ = 1, 20 do
    local x = self:pick(dims)
    if self.writable[x] and x:dim() >= (dims or 0) then return x end
  end
  local x = self:pick(dims):clone()
  self:add(x, true)
  return x
end

function Program:dim(x) return self.random(1, x:dim()) end
--- First and last index of a range of a dimension of x, in order.
function Program:range(x, dim)
  local first = self.random(1, x:size(dim))
  return first, self.random(first, x:size(dim))
end

--- Ops with a new result.
local function results(p)
  local random = p.random
  local function flat(x) return x:reshape(-1) end
  return {
    function(x) return (x * p:partner(x)):tanh() end,
    function(x) return x + 0.5 * p:partner(x) end,
    function(x) return (x - p:partner(x)):sin() end,
    function(x) return x:sigmoid() * 2 - 1 end,
    function(x) return x / (p:partner(x) ^ 2 + 1) end,
    function(x) return x:dim() > 0 and x:sum(p:dim(x), true) or x:exp():tanh() end,
    function(x) return x:dim() > 0 and x:mean(p:dim(x)) or x:cos() end,
    function(x) return x:dim() > 0 and x:logsumexp({dim = p:dim(x), keepdim = true}) or x:sin() end,
    function(x) return x:dim() > 0 and x:softmax(p:dim(x)) or x * 0.5 end,
    function(x) return x:dim() > 0 and x:cumsum(p:dim(x)):tanh() or x * 0.5 end,
    function(x) return x:dim() > 0 and tide.cat({x, x * 0.5}, p:dim(x)) or tide.stack{x, x} end,
    function(x) return tide.cat({flat(x), flat(p:pick())}, 1) end,
    function(x) return tide.stack({x, p:partner(x) + 0 * x}, random(1, x:dim() + 1)) end,
    function(x) return x:dim() > 0 and x:roll(random(-2, 2), p:dim(x)) or x * 2 end,
    function(x) return x:dim() > 0 and x:flip(p:dim(x)) or x * 2 end,
    function(x) return x:dim() > 0 and tide.nn.functional.pad(x, {random(0, 2), random(0, 1)}) or -x end,
    function(x) return x:dim() > 0 and x:repeat_interleave(random(1, 2), p:dim(x)) or -x end,
    function(x) return x:dim() > 0 and x:index_select(p:dim(x), tide.tensor({1, 1},
      {device = x.device})) or x * 3 end,
    function(x) return x:dim() > 1 and x:tril(random(-1, 1)) or x * x end,
    function(x) return x:dim() == 2 and x:matmul(x:t()) * 0.1 or x:tanh() end,
    function(x) return x:dim() == 4 and x:contiguous "channels_last" * 1.5 or x:clone() end,
    function(x) return x:dim() > 1 and x:transpose(1, 2):contiguous() + 0 or x:clone() end,
    function(x) return tide.where((tide.arange(x:numel(), {device = x.device}) % 3):reshape(x.shape)
      :eq(0), x, p:partner(x)) end,
  }
end

--- Views: each returns one, and whether it may be written if x may.
local function views(p)
  local random = p.random
  return {
    function(x) return x:reshape(-1), x:is_contiguous() end,
    function(x) return x:dim() > 1 and x:transpose(1, 2) or x, true end,
    function(x)
      if x:dim() == 0 then return x:unsqueeze(1), true end
      local d = p:dim(x)
      local first, last = p:range(x, d)
      return x:narrow(d, first, last - first + 1), true
    end,
    function(x)
      if x:dim() == 0 then return x:reshape(1, 1), true end
      local d = p:dim(x)
      return x:select(d, random(1, x:size(d))), true
    end,
    function(x)
      if x:dim() == 0 then return x:unsqueeze(1), true end
      local first, last = p:range(x, 1)
      return x[{{first, last, random(1, 2)}}], true
    end,
    function(x) return x:unsqueeze(random(1, x:dim() + 1)), true end,
    function(x) return x:squeeze(), true end,
    function(x) return x:dim() > 1 and x:diagonal() or x, true end,
    function(x) return x:unsqueeze(1):expand(2, table.unpack(x.shape)), false end,
    function(x)
      if x:dim() == 0 or x:size(1) < 2 then return x, true end
      return x:unfold(1, 2, 1), false
    end,
    function(x) return x:dim() > 0 and x:chunk(2, p:dim(x))[1] or x, true end,
    function(x)
      local n = x:numel()
      return x:is_contiguous() and n > 2 and x:as_strided({n - 1}, {1}) or x, true
    end,
  }
end

--- In-place writes to x.
local function writes(p)
  local random = p.random
  return {
    function(x) x:mul_(0.5) end,
    function(x) x:add_(p:partner(x)) end,
    function(x) x:mul_(p:partner(x):tanh()) end,
    function(x) x:copy_(p:partner(x)) end,
    function(x) x:fill_(0.25) end,
    function(x) x:tanh_() end,
    function(x) x:sigmoid_() end,
    function(x) if x:dim() > 0 then x[random(1, x:size(1))] = random(-3, 3) / 4 end end,
    function(x) if x:dim() > 0 then x[-1] = p:pick():mean() end end,
    function(x)
      if x:dim() == 0 then return end
      local first, last = p:range(x, 1)
      x[{{first, last}}] = p:pick():mean() * 0.5
    end,
    function(x) if x:dim() > 0 then x[random(1, x:size(1))]:add_(x[random(1, x:size(1))]) end end,
    function(x) if x:dim() > 1 then x:transpose(1, 2):sub_(x:transpose(1, 2) * 0.3) end end,
    function(x) if x:dim() > 0 then x:select(-1, -1):zero_() end end,
    function(x) x:masked_fill_((tide.arange(x:numel(), {device = x.device}) % 2):reshape(x.shape)
      :eq(0), 0.75) end,
    function(x)
      if x:dim() == 0 then return end
      local at = tide.tensor({x:size(1), 1}, {device = x.device})
      x:index_add_(1, at, x:index_select(1, at) * 0.5)
    end,
    function(x) if x:dim() > 0 then x[tide.tensor({1}, {device = x.device})] = p:pick():sum():tanh() end end,
    function(x) if x:dim() == 2 then x:fill_diagonal_(0.5) end end,
    function(x) x:clamp_(-100, 100) end,
  }
end

--- The sum of x's elements times fixed weights, which `shift` varies, so that none cancel.
local function weighted_sum(x, shift)
  local weights = (tide.arange(x:numel(), {dtype = "float64", device = x.device}) * 0.7 + shift):cos()
  return (x * weights:reshape(x.shape)):sum()
end

--- Runs the program of `seed` on float64 inputs; returns the weighted sum of its last tensors.
local function run(seed, steps, inputs)
  local program = setmetatable({random = new_random(seed), inputs = inputs,
    tensors = table.move(inputs, 1, #inputs, 1, {}), writable = {}}, Program)
  local random = program.random
  local results_, views_, writes_ = results(program), views(program), writes(program)
  for _ = 1, steps do
    local kind = random(1, 10)
    if kind <= 4 then
      program:add(results_[random(1, #results_)](program:pick()), true)
    elseif kind <= 7 then
      local x = program:pick()
      local view, keeps = views_[random(1, #views_)](x)
      program:add(view, keeps and program.writable[x])
    else
      writes_[random(1, #writes_)](program:target())
    end
  end
  local total = 0
  for i = math.max(1, #program.tensors - 5), #program.tensors do
    total = total + weighted_sum(program.tensors[i], i)
  end
  return total
end

--- The inputs of the program of `seed`.
local function inputs_of(seed, device)
  local random = new_random(seed + 77)
  local shapes = {{2, 3}, {4}, {2, 3}, {3, 2, 2}, {}, {1, 2, 3, 2}, {5}}
  local inputs = {}
  for k = 1, 3 do
    local shape = shapes[random(1, #shapes)]
    inputs[k] = tide.randn(shape, {dtype = "float64", device = device})
  end
  return inputs
end

return {run = run, inputs_of = inputs_of, weighted_sum = weighted_sum}
