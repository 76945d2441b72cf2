-- nn.utils.parametrizations: orthogonal parameters.
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local Module = require "tide.nn.module"
local parametrize = require "tide.nn.utils.parametrize"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"
local weights = require "tide.nn.utils.weights"

local parametrizations = {}

-- Maps from any matrix to an orthogonal one (n, k), n >= k.

local maps = {}

--- A skew-symmetric matrix: the lower triangle of x, as a square matrix, minus its transpose.
local function skew(x)
  local n, k = x:size(-2), x:size(-1)
  x = x:tril()
  if n ~= k then
    local shape = x.shape
    shape[#shape] = n - k
    x = tide.cat({x, x:new_zeros(shape)}, -1)
  end
  return x - x.mT
end

--- exp(A) of a skew-symmetric A is a rotation.
function maps.matrix_exp(x)
  return tide.linalg.matrix_exp(skew(x)):narrow(-1, 1, x:size(-1))
end

--- So is the Cayley transform (I - A / 2)^-1 (I + A / 2).
function maps.cayley(x)
  local half = skew(x) / 2
  local one = tide.eye(x:size(-2), {dtype = x.dtype, device = x.device})
  return tide.linalg.solve(one - half, one + half):narrow(-1, 1, x:size(-1))
end

--- A product of Householder reflections, with their directions below the diagonal of x and signs on it. The signs
--- have no gradient.
function maps.householder(x)
  local below = x:tril(-1)
  local tau = 2.0 / (1.0 + (below * below):sum(-2))
  local signs = x:diagonal(0, -2, -1):detach():int()
  return tide.linalg.householder_product(below, tau) * signs:unsqueeze(-2)
end

--- The orthogonal factor of x = QR, where the diagonal of R is non-negative.
local function orthogonal_factor(x)
  local q, r = tide.linalg.qr(x)
  local signs = r:diagonal(0, -2, -1):sign()
  return q * tide.where(signs:eq(0), tide.ones_like(signs), signs):unsqueeze(-2)
end

--- Whether the columns of q are orthogonal up to rounding. Waits.
local function is_orthogonal(q)
  local n, k = q:size(-2), q:size(-1)
  local one = tide.eye(k, {dtype = q.dtype, device = q.device})
  local eps = 10 * n * tide.finfo(q.dtype).eps
  return q.mT:matmul(q):allclose(one:expand(q.mT:matmul(q).shape), 0, eps)
end

local Orthogonal = class("Orthogonal", Module)

function Orthogonal:init(map, use_trivialization)
  self.map, self.use_trivialization = map, use_trivialization
end

function Orthogonal:forward(x)
  local wide = x:size(-2) < x:size(-1)
  local q = maps[self.map](wide and x.mT or x)
  local base = rawget(self, "base") -- classes have a field of that name
  if base then q = base:matmul(q) end
  return wide and q.mT or q
end

--- The original for which the map returns `value`, made orthogonal. With trivialization the base is that matrix,
--- completed to a square, and the original has -1 on its diagonal and zeros elsewhere. Returns nil for matrix_exp and
--- cayley without trivialization.
function Orthogonal:right_inverse(value)
  local wide = value:size(-2) < value:size(-1)
  local q = wide and value.mT or value
  local n, k = q:size(-2), q:size(-1)
  if not self.use_trivialization then
    if self.map ~= "householder" then return nil end
    local reflections = self:reflections(q)
    return wide and reflections.mT or reflections
  end
  if n ~= k then
    local shape = q.shape
    shape[#shape] = n - k
    q = orthogonal_factor(tide.cat({q, q:new_zeros(shape):normal_()}, -1))
  elseif not is_orthogonal(q) then
    q = orthogonal_factor(q)
  end
  self:register_buffer("base", q:clone())
  local start = tide.zeros_like(value)
  start:diagonal(0, -2, -1):fill_(-1)
  return start
end

--- The Householder reflections whose product, with signs on the diagonal, is the orthogonal factor of q: each maps
--- the remainder of its column to a multiple of a unit vector.
function Orthogonal:reflections(q)
  local n, k = q:size(-2), q:size(-1)
  local remainder, result = orthogonal_factor(q), q:new_zeros(q.shape)
  for j = 1, k do
    local column = remainder:narrow(-1, j, 1):narrow(-2, j, n - j + 1)
    local head = column:narrow(-2, 1, 1)
    -- The remainder of the column has norm 1; mapping it to the sign opposite to its head avoids cancellation.
    local goal = tide.where(head:gt(0), -tide.ones_like(head), tide.ones_like(head))
    local scale = head - goal
    result:narrow(-1, j, 1):narrow(-2, j, 1):copy_(goal)
    if j < n then
      local direction = tide.cat({tide.ones_like(head), column:narrow(-2, 2, n - j) / scale}, -2)
      result:narrow(-1, j, 1):narrow(-2, j + 1, n - j):copy_(direction:narrow(-2, 2, n - j))
      local tau = 2.0 / (direction * direction):sum(-2, true)
      local block = remainder:narrow(-2, j, n - j + 1)
      remainder = tide.cat({remainder:narrow(-2, 1, j - 1),
        block - tau * direction:matmul(direction.mT:matmul(block))}, -2)
    else
      -- The last reflection has only a sign.
      result:narrow(-1, j, 1):narrow(-2, j, 1):copy_(-head:sign())
    end
  end
  return result
end

function Orthogonal:describe() return self.map end

--- Keeps a matrix of the module orthogonal: its columns, or its rows if those are fewer, are orthonormal. It is
--- computed whenever it is read. Returns the module.
---@param module table  the module
---@use nn: name = "weight"
---@param orthogonal_map "matrix_exp" | "cayley" | "householder" = nil  how the matrix is
---  parametrized; nil is "matrix_exp" for square matrices, else "householder"
---@param use_trivialization boolean = true  start from the current value
---@example
--- local layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 2))
--- local w = layer.weight
--- w:matmul(w.T):allclose(tide.eye(2), 0, 1e-5) --> true
local read = reader "nn.utils.parametrizations.orthogonal"

--- Also accepts a batch of matrices.
function parametrizations.orthogonal(...)
  local given = read(...)
  local weight = weights.parameter_of("orthogonal", given.module, given.name)
  if weight:dim() < 2 then
    raise("orthogonal: %s: expected a matrix, got %d dimensions", given.name, weight:dim())
  end
  local square = weight:size(-2) == weight:size(-1)
  local map = given.orthogonal_map or square and "matrix_exp" or "householder"
  if not maps[map] then
    raise("orthogonal: orthogonal_map must be matrix_exp, cayley or householder, got %s", map)
  end
  return parametrize.register_parametrization(given.module, given.name,
    Orthogonal(map, given.use_trivialization))
end

--- Orthogonal parameters: see tide.nn.utils.parametrizations.NAME.
---@type table
---@example
--- nn.utils.parametrizations.orthogonal(nn.Linear(2, 2)) ~= nil --> true
return strict_table("tide.nn.utils.parametrizations", parametrizations)
