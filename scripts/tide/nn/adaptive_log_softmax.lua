-- nn.AdaptiveLogSoftmaxWithLoss: log-softmax over many classes of which few are frequent (Grave et
-- al., 2017). The frequent ones and the clusters of the others share a head; the rarer a cluster, the
-- fewer features its classes are distinguished by.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Linear = require "tide.nn.linear"
local Module = require "tide.nn.module"
local ModuleList = require "tide.nn.module_list"
local raise = require "tide.internal.raise"
local Sequential = require "tide.nn.sequential"
local tide = require "tide"

--- Log-softmax over many classes, rare ones in clusters; gives log-probabilities and the loss.
---@use nn: in_features
---@param n_classes integer >= 0  number of classes, which count from 1
---@param cutoffs integer[]  the last class of the head and of each cluster but the last, rising
---@param div_value number = 4.0  each cluster's features are fewer by this factor
---@param head_bias boolean = false  add a trained bias in the head
---@use nn: device = nil, dtype = nil
---@counts classes and cutoffs
---@see nn.CrossEntropyLoss nn.LogSoftmax
---@example
--- local net = nn.AdaptiveLogSoftmaxWithLoss(8, 100, {10, 50})
--- net:log_prob(tide.ones(2, 8)).shape --> {2, 100}
local AdaptiveLogSoftmax, read = define("nn.AdaptiveLogSoftmaxWithLoss", Module)

--- `cutoffs` are numbers of classes, rising: {10, 100} makes classes 1..10 frequent, 11..100 the first
--- cluster, and the rest the second.
function AdaptiveLogSoftmax:init(...)
  local given = read(...)
  local before = 0
  for _, cutoff in ipairs(given.cutoffs) do
    if math.tointeger(cutoff) == nil or cutoff <= before or cutoff >= given.n_classes then
      raise("AdaptiveLogSoftmaxWithLoss: cutoffs are rising whole numbers between 1 and %d",
        given.n_classes - 1)
    end
    before = cutoff
  end
  if before == 0 then raise("AdaptiveLogSoftmaxWithLoss: expected at least one cutoff") end
  self.in_features, self.n_classes = given.in_features, given.n_classes
  self.div_value, self.head_bias = given.div_value, given.head_bias
  self.cutoffs = table.move(given.cutoffs, 1, #given.cutoffs, 1, {})
  self.cutoffs[#self.cutoffs + 1] = given.n_classes
  self.shortlist_size = self.cutoffs[1]
  self.n_clusters = #self.cutoffs - 1
  local function linear(inputs, outputs, bias)
    return Linear(inputs, outputs, {bias = bias, device = given.device, dtype = given.dtype})
  end
  self.head = linear(given.in_features, self.shortlist_size + self.n_clusters, given.head_bias)
  local tail = {}
  for i = 1, self.n_clusters do
    local width = math.floor(given.in_features // given.div_value ^ i)
    tail[i] = Sequential(linear(given.in_features, width, false),
      linear(width, self.cutoffs[i + 1] - self.cutoffs[i], false))
  end
  self.tail = ModuleList(tail)
end

--- Returns the log-probability of each sample's class, and the mean of their negatives. Waits: which
--- samples belong to which cluster is read.
function AdaptiveLogSoftmax:forward(x, target)
  local single = target:dim() == 0
  if x:dim() ~= (single and 1 or 2) or target:dim() > 1 or not single and #x ~= #target then
    raise("AdaptiveLogSoftmaxWithLoss: inputs (%s) and targets (%s) do not fit",
      table.concat(x.shape, ", "), table.concat(target.shape, ", "))
  end
  if single then x, target = x:unsqueeze(1), target:unsqueeze(1) end
  if #target > 0 then
    local low, high = target:min():item(), target:max():item()
    if low < 1 or high > self.n_classes then
      raise("AdaptiveLogSoftmaxWithLoss: targets are classes 1..%d, got %d..%d", self.n_classes, low,
        high)
    end
  end
  local head = F.log_softmax(self.head(x), 2)
  -- In the head a sample's class, or its cluster.
  local place, within = target, nil
  local output = x:new_zeros({#x})
  for i = 1, self.n_clusters do
    local low = self.cutoffs[i]
    local inside = target:gt(low):logical_and(target:le(self.cutoffs[i + 1]))
    place = tide.where(inside, self.shortlist_size + i, place)
    local rows = inside:nonzero():squeeze(2)
    if #rows > 0 then
      local scores = F.log_softmax(self.tail[i](x:index_select(1, rows)), 2)
      local own = scores:gather(2, (target:index_select(1, rows) - low):unsqueeze(2)):squeeze(2)
      within = (within or output):index_copy(1, rows, own)
    end
  end
  output = head:gather(2, place:unsqueeze(2)):squeeze(2)
  if within then output = output + within end
  local loss = -output:mean()
  return single and output:squeeze(1) or output, loss
end

--- Log-probabilities of all classes: (n, n_classes).
function AdaptiveLogSoftmax:log_prob(x)
  local head = F.log_softmax(self.head(x), 2)
  local parts = {head:narrow(2, 1, self.shortlist_size)}
  for i = 1, self.n_clusters do
    local cluster = head:narrow(2, self.shortlist_size + i, 1)
    parts[i + 1] = F.log_softmax(self.tail[i](x), 2) + cluster
  end
  return tide.cat(parts, 2)
end

--- The most probable class of each sample.
function AdaptiveLogSoftmax:predict(x) return self:log_prob(x):argmax(2) end

return AdaptiveLogSoftmax
