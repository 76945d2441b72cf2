-- nn.AdaptiveLogSoftmaxWithLoss: log-softmax over many classes, few of them frequent (Grave et al., 2017).
-- A head scores the frequent classes and the clusters of rare classes. Rarer clusters project the input to
-- fewer features.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Linear = require "tide.nn.linear"
local Module = require "tide.nn.module"
local ModuleList = require "tide.nn.module_list"
local raise = require "tide.internal.raise"
local Sequential = require "tide.nn.sequential"
local tide = require "tide"

--- Log-softmax over many classes, with rare ones in clusters; returns log-probabilities and the loss.
---@use nn: in_features
---@param n_classes integer >= 0  number of classes, numbered from 1
---@param cutoffs integer[]  last class of the head and of each cluster except the last, in increasing order
---@param div_value number = 4.0  factor by which each cluster has fewer features than the previous one
---@param head_bias boolean = false  add a trained bias in the head
---@use nn: device = nil, dtype = nil
---@counts classes and cutoffs
---@see nn.CrossEntropyLoss nn.LogSoftmax
---@example
--- local net = nn.AdaptiveLogSoftmaxWithLoss(8, 100, {10, 50})
--- net:log_prob(tide.ones(2, 8)).shape --> {2, 100}
local AdaptiveLogSoftmax, read = define("nn.AdaptiveLogSoftmaxWithLoss", Module)

--- `cutoffs` = {10, 100} makes classes 1..10 frequent, 11..100 the first cluster, and the rest the second.
function AdaptiveLogSoftmax:init(...)
  local given = read(...)
  local before = 0
  for _, cutoff in ipairs(given.cutoffs) do
    if math.tointeger(cutoff) == nil or cutoff <= before or cutoff >= given.n_classes then
      raise("AdaptiveLogSoftmaxWithLoss: expected cutoffs to be increasing integers between 1 and %d",
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

--- Returns the log-probability of each sample's class, and the mean negative log-probability as the loss.
--- Waits for the targets, to select the samples of each cluster.
function AdaptiveLogSoftmax:forward(x, target)
  local single = target:dim() == 0
  if x:dim() ~= (single and 1 or 2) or target:dim() > 1 or not single and #x ~= #target then
    raise("AdaptiveLogSoftmaxWithLoss: shapes of inputs (%s) and targets (%s) do not match",
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
  -- Index into the head: a sample's class if it is frequent, else its cluster.
  local head_index, within = target, nil
  local output = x:new_zeros({#x})
  for i = 1, self.n_clusters do
    local low = self.cutoffs[i]
    local inside = target:gt(low):logical_and(target:le(self.cutoffs[i + 1]))
    head_index = tide.where(inside, self.shortlist_size + i, head_index)
    local rows = inside:nonzero():squeeze(2)
    if #rows > 0 then
      local scores = F.log_softmax(self.tail[i](x:index_select(1, rows)), 2)
      local log_probs = scores:gather(2, (target:index_select(1, rows) - low):unsqueeze(2)):squeeze(2)
      within = (within or output):index_copy(1, rows, log_probs)
    end
  end
  output = head:gather(2, head_index:unsqueeze(2)):squeeze(2)
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
