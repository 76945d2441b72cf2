-- A tree ensemble as tensors: the leaf of each tree that the rows of x reach.
local raise = require "tide.internal.raise"
local tide = require "tide"

local forest = {}

--- Maximum number of rows times trees that descend together.
local kMostStates <const> = 1 << 21

local comparisons = {
  BRANCH_LEQ = tide.le, BRANCH_LT = tide.lt, BRANCH_GTE = tide.ge, BRANCH_GT = tide.gt, BRANCH_EQ = tide.eq,
  BRANCH_NEQ = tide.ne,
}

--- The length of the longest path from a root; raises an error if a node is reached twice.
local function depth_of(own)
  local level, seen, depth = own.roots, {}, 0
  while true do
    local below = {}
    for _, node in ipairs(level) do
      if seen[node] then raise("node %d of the trees is reached twice", node - 1) end
      seen[node] = true
      if own.modes[node] ~= "LEAF" then
        below[#below + 1] = own.yes[node]
        if own.no[node] ~= own.yes[node] then below[#below + 1] = own.no[node] end
      end
    end
    if #below == 0 then return depth end
    level, depth = below, depth + 1
  end
end

--- The sets of BRANCH_MEMBER nodes as rows of a matrix, padded with nan, and the row of each node; row 1 is empty.
local function set_matrix(own)
  local width, rows, row_of = 1, {{}}, {}
  for node = 1, #own.modes do
    local set = own.sets and own.sets[node]
    if set then
      rows[#rows + 1] = set
      width = math.max(width, #set)
    end
    row_of[node] = set and #rows or 1
  end
  for i, row in ipairs(rows) do
    local filled = table.move(row, 1, #row, 1, {})
    for k = #row + 1, width do filled[k] = 0 / 0 end
    rows[i] = filled
  end
  return tide.tensor(rows, {dtype = own.dtype}), tide.tensor(row_of)
end

--- The tensors for `forest.leaves` from lists with an entry for each node: {features (from 1), values, modes, yes, no
--- (nodes from 1), tracks (whether nan goes to `yes`), sets (of BRANCH_MEMBER)}; and {roots, dtype}.
function forest.tensors(own)
  if #own.roots == 0 then raise "the ensemble has no trees" end
  local kinds, depth = {}, depth_of(own)
  local codes, names, tracked = {}, {}, false
  local widest = 0
  for node, mode in ipairs(own.modes) do
    if mode == "LEAF" then
      own.features[node], own.values[node], own.yes[node], own.no[node] = 1, 0.0, node, node
    else
      if not comparisons[mode] and mode ~= "BRANCH_MEMBER" then raise("the mode '%s' is not supported", mode) end
      if not kinds[mode] then
        names[#names + 1] = mode
        kinds[mode] = #names
      end
      if own.features[node] < 1 then raise("node %d of the trees reads column %d", node - 1, own.features[node] - 1) end
      tracked = tracked or own.tracks[node]
      widest = math.max(widest, own.features[node])
    end
    codes[node] = kinds[mode] or 0
  end
  local result = {
    depth = depth, widest = widest, names = names, trees = #own.roots, roots = tide.tensor(own.roots),
    features = tide.tensor(own.features), values = tide.tensor(own.values, {dtype = own.dtype}),
    yes = tide.tensor(own.yes), no = tide.tensor(own.no),
    codes = #names > 1 and tide.tensor(codes) or nil,
    tracks = tracked and tide.tensor(own.tracks) or nil,
  }
  if kinds.BRANCH_MEMBER then result.sets, result.set_of = set_matrix(own) end
  return result
end

--- Whether each row's value goes to `yes` at its node.
local function decide(own, x, nodes)
  local chosen
  local limits = own.values[nodes]
  for code, mode in ipairs(own.names) do
    local result
    if mode == "BRANCH_MEMBER" then
      result = own.sets[own.set_of[nodes]]:eq(x:unsqueeze(-1)):any(-1)
    else
      result = comparisons[mode](x, limits)
    end
    chosen = chosen and tide.where(own.codes[nodes]:eq(code), result, chosen) or result
  end
  if own.tracks then chosen = chosen:logical_or(x:isnan():logical_and(own.tracks[nodes])) end
  return chosen
end

--- The leaves, as nodes from 1, that rows of x reach: (rows, trees).
local function descend(own, x)
  local nodes = own.roots:unsqueeze(1):expand(x:size(1), own.trees)
  for _ = 1, own.depth do
    local value = x:gather(2, own.features[nodes])
    nodes = tide.where(decide(own, value, nodes), own.yes[nodes], own.no[nodes])
  end
  return nodes
end

--- Applies reduce(leaves) to blocks of rows of x (n, columns) and concatenates the results.
function forest.leaves(own, x, reduce)
  if own.widest > x:size(2) then
    raise("the trees read column %d, but the input has %d columns", own.widest, x:size(2))
  end
  local count, parts = math.max(1, kMostStates // math.max(own.trees, 1)), {}
  for i, rows in ipairs(x:split(count, 1)) do parts[i] = reduce(descend(own, rows)) end
  return #parts == 1 and parts[1] or tide.cat(parts, 1)
end

return forest
