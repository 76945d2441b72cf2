-- tide.svd_lowrank: the largest singular values of a large matrix, from its products with a few
-- random vectors (Halko, Martinsson and Tropp, Finding structure with randomness, 2009).
local arguments = require "tide.internal.arguments"
local raise = require "tide.internal.raise"
local tide = require "tide"

local read = arguments("svd_lowrank", {"A", {"q", 6}, {"niter", 2}, {"M"}},
  {A = "tensor", q = "count", niter = "count", M = "tensor"})

--- Orthogonal columns that span nearly what the first q singular vectors of a tall matrix do; each
--- iteration makes the difference smaller.
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

--- U (m, q), S (q), V (n, q) with U diag(S) V' nearly A - M for a matrix A (m, n) whose rank is
--- about q or less.
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
