-- tide.pca_lowrank: the main directions of rows of numbers.
local reader = require "tide.internal.declare.reader"
local svd_lowrank = require "tide.svd_lowrank"

--- svd_lowrank of samples around their mean: the columns of V are the main directions.
---@param A tensor  the matrix, or a stack of matrices
---@param q integer >= 0 = nil  how many; nil is 6 or the smaller size
---@param center boolean = true  subtract the mean of each column
---@param niter integer >= 0 = 2  rounds of refinement
---@example
--- local U, S, V = tide.pca_lowrank(tide.tensor{{1.0, 1}, {3, 3}}, {q = 1}); S --> {2.0}
local read = reader "pca_lowrank"

--- U, S, V of svd_lowrank of a matrix (m, n) of m samples, whose columns are centred first unless
--- `center` is false: the columns of V are the main directions, A V the coordinates along them.
--- q is 6, or less for a smaller matrix.
local function pca_lowrank(...)
  local given = read(...)
  local A = given.A
  local q = given.q or math.min(6, A:size(-2), A:size(-1))
  if given.center then A = A - A:mean(-2, true) end
  return svd_lowrank(A, q, given.niter)
end

return pca_lowrank
