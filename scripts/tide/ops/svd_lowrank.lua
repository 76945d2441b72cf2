-- tide.svd_lowrank: randomized SVD of a large matrix (Halko, Martinsson and Tropp, "Finding structure with
-- randomness", 2009).
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Approximate SVD: U, S, V with U diag(S) V' close to A, for the q largest singular values.
---@param A tensor  the matrix, or a batch of matrices
---@param q integer >= 0 = 6  number of singular values
---@param niter integer >= 0 = 2  number of refinement iterations
---@param M tensor = nil  subtracted from A
---@example
--- local U, S, V = tide.svd_lowrank(tide.tensor{{3.0, 0}, {0, 4}}, {q = 2}); S --> {4.0, 3.0}
local read = reader "svd_lowrank"

--- Orthonormal columns that approximately span the first q singular vectors of a tall matrix; iterations improve the
--- approximation.
local function basis(A, q, niter)
  local shape = A.shape
  shape[#shape - 1], shape[#shape] = A:size(-1), q
  local sketch = tide.randn(shape, {dtype = A.dtype, device = A.device})
  local Q = tide.linalg.qr(A:matmul(sketch))
  for _ = 1, niter do
    Q = tide.linalg.qr(A.mT:matmul(Q))
    Q = tide.linalg.qr(A:matmul(Q))
  end
  return Q
end

--- Returns U (m, q), S (q), V (n, q) for A (m, n), accurate if the rank of A - M is about q or less.
local function svd_lowrank(...)
  local given = read(...)
  local A, q = given.A, given.q
  if A:dim() < 2 or q < 1 or q > math.min(A:size(-2), A:size(-1)) then
    raise("svd_lowrank: q must be 1 to the smaller size of a matrix, got %d of (%s)", q,
      table.concat(A.shape, ", "))
  end
  if given.M then A = A - given.M end
  local wide = A:size(-2) < A:size(-1)
  local tall = wide and A.mT or A
  local Q = basis(tall, q, given.niter)
  local U, S, Vh = tide.linalg.svd(Q.mT:matmul(tall), false)
  U = Q:matmul(U)
  if wide then return Vh.mT, S, U end
  return U, S, Vh.mT
end

return svd_lowrank
