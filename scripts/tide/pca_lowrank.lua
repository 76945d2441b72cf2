-- tide.pca_lowrank: the main directions of rows of numbers.
local arguments = require "tide.internal.arguments"
local svd_lowrank = require "tide.svd_lowrank"

local read = arguments("pca_lowrank", {"A", {"q"}, {"center", true}, {"niter", 2}},
  {A = "tensor", q = "count", niter = "count"})

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
