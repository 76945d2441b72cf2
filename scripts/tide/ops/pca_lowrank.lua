-- tide.pca_lowrank: principal component analysis.
local reader = require "tide.internal.declare.reader"
local svd_lowrank = require "tide.ops.svd_lowrank"

--- Principal component analysis by svd_lowrank: the columns of V are the principal directions.
---@param A tensor  the matrix, or a batch of matrices
---@param q integer >= 0 = nil  number of components; nil is 6 or the smaller size
---@param center boolean = true  subtract the mean of each column
---@param niter integer >= 0 = 2  number of refinement iterations
---@example
--- local U, S, V = tide.pca_lowrank(tide.tensor{{1.0, 1}, {3, 3}}, {q = 1}); S --> {2.0}
local read = reader "pca_lowrank"

--- A is (m, n) with m samples; A V are the coordinates along the principal directions.
local function pca_lowrank(...)
  local given = read(...)
  local A = given.A
  local q = given.q or math.min(6, A:size(-2), A:size(-1))
  if given.center then A = A - A:mean(-2, true) end
  return svd_lowrank(A, q, given.niter)
end

return pca_lowrank
