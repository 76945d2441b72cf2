-- Support vector machines.
local constants = require "tide.onnx.ml.constants"
local raise = require "tide.internal.raise"
local scores = require "tide.onnx.ml.scores"
local tide = require "tide"

local ops = {}

ops.attributes = {
  SVMClassifier = "classlabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform "
    .. "prob_a prob_b rho support_vectors vectors_per_class",
  SVMRegressor = "coefficients kernel_params kernel_type n_supports one_class post_transform rho support_vectors",
}

--- Maximum number of iterations for coupling pairwise probabilities; as in libsvm.
local kRounds <const> = 100

--- Kernels of rows and support vectors, with {gamma, coef0, degree}.
local kernels = {}

function kernels.LINEAR(x, vectors) return x:matmul(vectors:t()) end

function kernels.POLY(x, vectors, p) return (x:matmul(vectors:t()) * p[1] + p[2]):pow(p[3]) end

function kernels.RBF(x, vectors, p)
  local distances = (x * x):sum(2, true) + (vectors * vectors):sum(2):unsqueeze(1) - x:matmul(vectors:t()) * 2
  return (distances:clamp(0) * -p[1]):exp()
end

function kernels.SIGMOID(x, vectors, p) return (x:matmul(vectors:t()) * p[1] + p[2]):tanh() end

local function rows_of(x)
  if x:dim() == 1 then x = x:unsqueeze(1) end
  return x:to("float32")
end

--- The kernel of each row with each of the vectors (vectors, columns).
local function kernel_of(node, x, vectors)
  local name = node.attributes.kernel_type or "LINEAR"
  if not kernels[name] then raise("kernel_type '%s' is not supported", name) end
  -- Distances of close rows need float64 precision.
  return kernels[name](x:to("float64"), vectors:to("float64"), node.attributes.kernel_params or {0, 0, 0}):to("float32")
end

--- The attributes as matrices with `count` rows of vectors.
local function read(a, x, count)
  local columns = x:size(2)
  local vectors, coefficients = a.support_vectors or {}, a.coefficients or {}
  if #vectors ~= count * columns then
    raise("%d values of support_vectors for %d vectors of %d columns", #vectors, count, columns)
  end
  local own = {coefficients = tide.tensor(coefficients, {dtype = "float32"})}
  if count > 0 then own.vectors = tide.tensor(vectors, {dtype = "float32"}):reshape(count, columns) end
  return own
end

function ops.SVMRegressor(node, x)
  local a, rows = node.attributes, rows_of(x)
  local count = a.n_supports or 0
  local own = constants(node, x.device, function() return read(a, rows, count) end)
  local y = count > 0 and kernel_of(node, rows, own.vectors):matmul(own.coefficients)
    or rows:matmul(own.coefficients)
  y = (y + (a.rho or {0})[1]):unsqueeze(2)
  if a.one_class == 1 then return tide.where(y:gt(0), 1.0, -1.0) end
  return scores.transform(y, a.post_transform)
end

--- The decision of each pair of classes (i before j): (n, pairs).
local function decide_pairs(kernel, own, counts, rho)
  local starts, total, columns = {}, 1, {}
  for i, count in ipairs(counts) do starts[i], total = total, total + count end
  local function share(row, class)
    local at, count = starts[class], counts[class]
    return kernel:narrow(2, at, count):matmul(own.coefficients[row]:narrow(1, at, count))
  end
  for i = 1, #counts do
    for j = i + 1, #counts do
      columns[#columns + 1] = share(j - 1, i) + share(i, j) + rho[#columns + 1]
    end
  end
  return tide.stack(columns, 2)
end

--- The number of pairs that each class wins: (n, classes).
local function votes_of(decisions, classes)
  local votes, k = {}, 0
  for i = 1, classes do votes[i] = tide.zeros({decisions:size(1)}, {device = decisions.device}) end
  for i = 1, classes do
    for j = i + 1, classes do
      k = k + 1
      local won = decisions:select(2, k):gt(0):to("float32")
      votes[i], votes[j] = votes[i] + won, votes[j] + (1 - won)
    end
  end
  return tide.stack(votes, 2)
end

--- Probabilities of classes (n, classes) from pairwise ones, pair[i][j] that i wins over j, by libsvm's iteration
--- (Wu, Lin and Weng, second approach), for all rows together.
local function couple(pair, classes, n, device)
  local q = {}
  for i = 1, classes do
    q[i] = {}
    for j = 1, classes do
      if i ~= j then
        q[i][i] = (q[i][i] or 0) + pair[j][i] * pair[j][i]
        q[i][j] = -(pair[j][i] * pair[i][j])
      end
    end
  end
  local p, limit = {}, 0.005 / classes
  for i = 1, classes do p[i] = tide.full({n}, 1 / classes, {dtype = "float64", device = device}) end
  for _ = 1, kRounds do
    local qp, pqp = {}, 0
    for i = 1, classes do
      qp[i] = 0
      for j = 1, classes do qp[i] = qp[i] + q[i][j] * p[j] end
      pqp = pqp + p[i] * qp[i]
    end
    local far
    for i = 1, classes do
      local off = (qp[i] - pqp):abs():ge(limit)
      far = far and far:logical_or(off) or off
    end
    if not far:any():item() then break end
    local new = {table.unpack(p)}
    for i = 1, classes do
      local step = (pqp - qp[i]) / q[i][i]
      pqp = (pqp + step * (step * q[i][i] + qp[i] * 2)) / (step + 1) / (step + 1)
      new[i] = new[i] + step
      for j = 1, classes do
        qp[j] = (qp[j] + step * q[i][j]) / (step + 1)
        new[j] = new[j] / (step + 1)
      end
    end
    for i = 1, classes do p[i] = tide.where(far, new[i], p[i]) end -- the other rows are done
  end
  return tide.stack(p, 2)
end

--- Probabilities of classes from the logistic functions of the pairs.
local function probabilities(a, decisions, classes)
  local pair, k = {}, 0
  for i = 1, classes do pair[i] = {} end
  for i = 1, classes do
    for j = i + 1, classes do
      k = k + 1
      local linear = decisions:select(2, k):to("float64") * a.prob_a[k] + a.prob_b[k]
      pair[i][j] = (-linear):sigmoid():clamp(1e-7, 1 - 1e-7)
      pair[j][i] = 1 - pair[i][j]
    end
  end
  return couple(pair, classes, decisions:size(1), decisions.device):to("float32")
end

--- One decision per class, for a linear machine without support vectors.
local function linear_scores(own, x, labels, rho)
  return x:matmul(own.coefficients:reshape(#labels, -1):t()) + (rho or {0})[1]
end

--- The label, and the probabilities, or the decisions if the file has no prob_a.
function ops.SVMClassifier(node, x)
  local a, labels, rows = node.attributes, scores.labels_of(node), rows_of(x)
  if not labels then raise "expected classlabels_ints or classlabels_strings" end
  local counts, count = a.vectors_per_class or {}, 0
  for _, each in ipairs(counts) do count = count + each end
  local own = constants(node, x.device, function()
    local made = read(a, rows, count)
    if count > 0 then made.coefficients = made.coefficients:reshape(-1, count) end
    return made
  end)
  if count == 0 then
    local y = linear_scores(own, rows, labels, a.rho)
    return scores.pick(labels, y:argmax(2)), scores.transform(y, a.post_transform)
  end
  if #counts ~= #labels or #(a.rho or {}) ~= #counts * (#counts - 1) // 2 then
    raise("%d classes of vectors and %d rho for %d labels", #counts, #(a.rho or {}), #labels)
  end
  local decisions = decide_pairs(kernel_of(node, rows, own.vectors), own, counts, a.rho)
  local winner = votes_of(decisions, #counts):argmax(2) -- even where probabilities favor another class
  if a.prob_a and #a.prob_a > 0 then
    return scores.pick(labels, winner), scores.transform(probabilities(a, decisions, #counts), a.post_transform)
  end
  if #labels > 2 then return scores.pick(labels, winner), scores.transform(decisions, a.post_transform) end
  return scores.pick(labels, winner), scores.both(decisions, a.post_transform, (a.post_transform or "NONE") ~= "NONE")
end

return ops
