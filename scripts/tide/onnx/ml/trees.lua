-- Tree ensembles: sums, means, minima or maxima of leaf weights.
local constants = require "tide.onnx.ml.constants"
local F = require "tide.nn.functional"
local forest = require "tide.onnx.ml.forest"
local raise = require "tide.internal.raise"
local scores = require "tide.onnx.ml.scores"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

local kNodes <const> = "aggregate_function base_values base_values_as_tensor nodes_falsenodeids nodes_featureids "
  .. "nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true nodes_modes nodes_nodeids "
  .. "nodes_treeids nodes_truenodeids nodes_values nodes_values_as_tensor post_transform "

ops.attributes = { -- hit rates have no effect
  TreeEnsembleRegressor = kNodes .. "n_targets target_ids target_nodeids target_treeids target_weights "
    .. "target_weights_as_tensor",
  TreeEnsembleClassifier = kNodes .. "class_ids class_nodeids class_treeids class_weights class_weights_as_tensor "
    .. "classlabels_int64s classlabels_strings",
  TreeEnsemble = "aggregate_function leaf_targetids leaf_weights membership_values n_targets nodes_falseleafs "
    .. "nodes_falsenodeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_splits "
    .. "nodes_trueleafs nodes_truenodeids post_transform tree_roots",
}

-- Reading -----------------------------------------------------------------------------------------

--- The list of values of an attribute, or of its variant as a tensor of doubles.
local function numbers(a, name)
  local precise = a[name .. "_as_tensor"]
  if precise and precise:numel() > 0 then return values.list(precise) end
  return a[name] or {}
end

--- Checks that the lists have the same length.
local function check_lengths(a, names, count)
  for _, name in ipairs(names) do
    if #(a[name] or {}) ~= count then raise("%s: expected %d entries, got %d", name, count, #(a[name] or {})) end
  end
end

--- The nodes of the older ops for `forest.tensors`, compared as doubles or not; and the node from 1 by tree and number.
local function read_nodes(a, double)
  local limits = numbers(a, "nodes_values")
  local count = #(a.nodes_modes or {})
  check_lengths(a, {
    "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids",
  }, count)
  if #limits ~= count then raise("nodes_values: expected %d entries, got %d", count, #limits) end
  local by_tree, own = {}, {
    modes = a.nodes_modes, values = limits, features = {}, yes = {}, no = {}, tracks = {}, roots = {},
    dtype = double and "float64" or "float32",
  }
  for i = 1, count do
    local tree = a.nodes_treeids[i]
    if not by_tree[tree] then
      by_tree[tree] = {}
      own.roots[#own.roots + 1] = i -- the first node of a tree
    end
    by_tree[tree][a.nodes_nodeids[i]] = i
  end
  local tracks = a.nodes_missing_value_tracks_true or {}
  for i = 1, count do
    local nodes = by_tree[a.nodes_treeids[i]]
    own.features[i], own.tracks[i] = a.nodes_featureids[i] + 1, tracks[i] == 1
    if a.nodes_modes[i] ~= "LEAF" then
      own.yes[i], own.no[i] = nodes[a.nodes_truenodeids[i]], nodes[a.nodes_falsenodeids[i]]
      if not own.yes[i] or not own.no[i] then
        raise("node %d of tree %d has a child that does not exist", a.nodes_nodeids[i], a.nodes_treeids[i])
      end
    end
  end
  return own, by_tree
end

--- Maximum number of weights of an ensemble, nodes times targets.
local kMostWeights <const> = 1 << 29

--- Adds the weights (nodes, targets) of entries {nodes, targets, weights} to `result`: as `sum`, with `has` 1 where any
--- are, or as `low` or `high`, in which nodes without an entry do not count.
local function add_weights(result, count, targets, entries, dtype, aggregate)
  if targets < 1 or targets > kMostWeights // count then raise("%d targets of %d nodes", targets, count) end
  local positions = {}
  for i, target in ipairs(entries.targets) do
    if target < 0 or target >= targets then raise("a weight has target %d of %d", target, targets) end
    positions[i] = (entries.nodes[i] - 1) * targets + target + 1
  end
  if #positions == 0 then raise "the trees have no weights" end
  local index, weights = tide.tensor(positions), tide.tensor(entries.weights, {dtype = dtype})
  local function filled(value) return tide.full({count * targets}, value, {dtype = dtype}) end
  if aggregate == "MIN" then
    result.low = filled(math.huge):scatter(1, index, weights):reshape(count, targets)
  elseif aggregate == "MAX" then
    result.high = filled(-math.huge):scatter(1, index, weights):reshape(count, targets)
  elseif aggregate == "SUM" or aggregate == "AVERAGE" then
    result.sum = filled(0):scatter_add(1, index, weights):reshape(count, targets)
    result.has = filled(0):scatter(1, index, 1):reshape(count, targets)
  else
    raise("aggregate_function '%s' is not supported", tostring(aggregate))
  end
end

local kAggregates <const> = {[0] = "AVERAGE", "SUM", "MIN", "MAX"}

--- The data for running a node: its forest, weights, base values and aggregate.
local function prepare(own, entries, targets, aggregate, base)
  local result = forest.tensors(own)
  add_weights(result, #own.modes, targets, entries, own.dtype, aggregate)
  result.aggregate = aggregate
  result.base = #base > 0 and tide.tensor(base, {dtype = own.dtype}) or nil
  return result
end

--- Entries of leaves from the attributes target_... or class_....
local function read_entries(a, stem, by_tree)
  local ids = a[stem .. "_ids"] or {}
  local weights = numbers(a, stem .. "_weights")
  check_lengths(a, {stem .. "_treeids", stem .. "_nodeids"}, #ids)
  if #weights ~= #ids then raise("%s_weights: expected %d entries, got %d", stem, #ids, #weights) end
  local nodes = {}
  for i = 1, #ids do
    local tree, number = a[stem .. "_treeids"][i], a[stem .. "_nodeids"][i]
    nodes[i] = (by_tree[tree] or {})[number] or raise("a weight has node %d of tree %d, which does not exist",
      number, tree)
  end
  return {nodes = nodes, targets = ids, weights = weights}
end

--- The sets of BRANCH_MEMBER nodes: membership_values concatenates them, each terminated by nan.
local function read_sets(a, modes)
  local list, sets, at = a.membership_values and values.list(a.membership_values) or {}, {}, 1
  for node, mode in ipairs(modes) do
    if mode == "BRANCH_MEMBER" then
      local set = {}
      while list[at] and list[at] == list[at] do
        set[#set + 1] = list[at]
        at = at + 1
      end
      sets[node], at = set, at + 1
    end
  end
  return sets
end

local kModes <const> = {
  [0] = "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER",
}

--- The nodes and entries of TreeEnsemble, with a separate leaf for each branch that ends in one.
local function read_new_form(a, double)
  local codes, weights = values.list(a.nodes_modes), values.list(a.leaf_weights)
  local count, own = #codes, {
    modes = {}, values = values.list(a.nodes_splits), features = {}, yes = {}, no = {}, tracks = {}, roots = {},
    dtype = double and "float64" or "float32",
  }
  check_lengths(a, {
    "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs",
  }, count)
  check_lengths(a, {"leaf_targetids"}, #weights)
  local entries = {nodes = {}, targets = {}, weights = {}}
  local function child(number, is_leaf)
    local limit = is_leaf == 1 and #weights or count
    if number < 0 or number >= limit then raise("a node has the child %d of %d", number, limit) end
    if is_leaf ~= 1 then return number + 1 end
    local node, entry = #own.modes + 1, #entries.nodes + 1
    own.modes[node], own.tracks[node], entries.nodes[entry] = "LEAF", false, node
    entries.weights[entry], entries.targets[entry] = weights[number + 1], a.leaf_targetids[number + 1]
    return node
  end
  for i = 1, count do own.modes[i] = kModes[codes[i]] or raise("the mode %d is not supported", codes[i]) end
  for i = 1, count do
    own.features[i] = a.nodes_featureids[i] + 1
    own.tracks[i] = (a.nodes_missing_value_tracks_true or {})[i] == 1
    own.yes[i] = child(a.nodes_truenodeids[i], a.nodes_trueleafs[i])
    own.no[i] = child(a.nodes_falsenodeids[i], a.nodes_falseleafs[i])
  end
  for i, root in ipairs(a.tree_roots or {}) do own.roots[i] = child(root, 0) end
  own.sets = read_sets(a, own.modes)
  return own, entries
end

-- Running -----------------------------------------------------------------------------------------

--- Combines the weights of the leaves that rows reach.
local function reduce(own, leaves)
  if own.aggregate == "MIN" then return own.low[leaves]:amin(2) end
  if own.aggregate == "MAX" then return own.high[leaves]:amax(2) end
  return F.embedding_bag(leaves, own.sum, {mode = "sum"})
end

--- The final weights with the base values, from sums, minima or maxima over the trees (n, targets).
local function finished(own, total)
  if own.aggregate == "AVERAGE" then total = total / own.trees end
  if own.low or own.high then total = tide.where(total:isinf(), 0.0, total) end -- no tree has such a weight
  return own.base and total + own.base or total
end

--- x as float rows, for comparison in the trees.
local function rows_of(own, x)
  if x:dim() == 1 then x = x:unsqueeze(1) end
  return x:to(own.values.dtype)
end

local function aggregate(own, x)
  return finished(own, forest.leaves(own, rows_of(own, x), function(leaves) return reduce(own, leaves) end))
end

function ops.TreeEnsembleRegressor(node, x)
  local a = node.attributes
  local own = constants(node, x.device, function()
    local nodes, by_tree = read_nodes(a, x.dtype == "float64")
    return prepare(nodes, read_entries(a, "target", by_tree), a.n_targets or 1, a.aggregate_function or "SUM",
      numbers(a, "base_values"))
  end)
  return scores.transform(aggregate(own, x), a.post_transform):to("float32")
end

local kTransforms <const> = {[0] = "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

function ops.TreeEnsemble(node, x)
  local a = node.attributes
  local own = constants(node, x.device, function()
    local nodes, entries = read_new_form(a, x.dtype == "float64")
    return prepare(nodes, entries, a.n_targets or 1, kAggregates[a.aggregate_function or 1], {})
  end)
  return scores.transform(aggregate(own, x), kTransforms[a.post_transform or 0]):to(x.dtype)
end

--- The data of a classifier; also whether two classes have one score, and whether no weight is negative.
local function prepare_classifier(a, labels, double)
  local nodes, by_tree = read_nodes(a, double)
  local entries = read_entries(a, "class", by_tree)
  local base, classes, count, positive = numbers(a, "base_values"), {}, 0, true
  for i, class in ipairs(entries.targets) do
    if not classes[class] then classes[class], count = true, count + 1 end
    positive = positive and entries.weights[i] >= 0
  end
  local single = #labels == 2 and count == 1
  local targets = single and classes[0] and 1 or #labels
  if #base > 0 and #base ~= targets then raise("expected 0 or %d base_values, got %d", targets, #base) end
  local own = prepare(nodes, entries, targets, "SUM", base)
  own.single, own.positive = single, positive
  own.needs_has = not single and not positive and #base == 0
  return own
end

--- The label and the scores of each class.
function ops.TreeEnsembleClassifier(node, x)
  local a, labels = node.attributes, scores.labels_of(node)
  if not labels then raise "expected classlabels_int64s or classlabels_strings" end
  local own = constants(node, x.device, function() return prepare_classifier(a, labels, x.dtype == "float64") end)
  local count, y, voted = own.sum:size(2), nil, nil
  if own.needs_has then
    local both = forest.leaves(own, rows_of(own, x), function(leaves)
      return tide.cat({reduce(own, leaves), F.embedding_bag(leaves, own.has, {mode = "sum"})}, 2)
    end)
    y, voted = finished(own, both:narrow(2, 1, count)), both:narrow(2, count + 1, count)
  else
    y = aggregate(own, x)
  end
  if own.single then
    local chosen = y:select(2, y:size(2)):gt(own.positive and 0.5 or 0):to("int64") + 1
    local both = y:size(2) == 1 and scores.both(y, a.post_transform, own.positive)
      or scores.transform(y, a.post_transform)
    return scores.pick(labels, chosen), both:to("float32")
  end
  -- Classes without a weight in any leaf do not win against negative scores.
  local ranked = voted and y:masked_fill(voted:eq(0), -math.huge) or y
  return scores.pick(labels, ranked:argmax(2)), scores.transform(y, a.post_transform):to("float32")
end

return ops
