-- Eigenvalues and singular values on a CUDA device, with kernels for small matrices and the host for large ones: the
-- cpu's values, and vectors that reconstruct the matrix.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local L = tide.linalg

local kLargest = 128 -- maximum rows and columns for the device
local kEpsilon = {float32 = 2 ^ -23, float64 = 2 ^ -52}

local function near(got, expected, dtype, size, scale)
  local tolerance = 16 * kEpsilon[dtype] * (size + 2) * (scale or 1)
  test.close(got:cpu(), expected, {rtol = tolerance, atol = tolerance})
end

local function transposed(x) return x:transpose(-2, -1) end

local function unit(dtype, n, like)
  local shape = {}
  for i = 1, #like.shape - 2 do shape[i] = like.shape[i] end
  shape[#shape + 1], shape[#shape + 2] = n, n
  return tide.eye(n, {dtype = dtype}):expand(table.unpack(shape))
end

--- The vectors in the columns of x are orthogonal and have length 1.
local function orthogonal(x, dtype)
  local n = x.shape[#x.shape]
  near(transposed(x):matmul(x), unit(dtype, n, x), dtype, x.shape[#x.shape - 1])
end

local function check_symmetric(a, dtype, scale)
  local n = a.shape[#a.shape]
  local w, v = L.eigh(a:cuda())
  test.equal(w.device, tide.device("cuda"))
  near(w, L.eigvalsh(a), dtype, n, scale)
  near(L.eigvalsh(a:cuda()), w:cpu(), dtype, n, scale)
  orthogonal(v, dtype)
  local lower = a:tril() + transposed(a:tril(-1))
  near((v * w:unsqueeze(-2)):matmul(transposed(v)), lower, dtype, n, scale)
end

local function check_any(a, dtype, scale)
  local rows, columns = a.shape[#a.shape - 1], a.shape[#a.shape]
  local size, rank = math.max(rows, columns), math.min(rows, columns)
  for _, full in ipairs {false, true} do
    local u, s, vh = L.svd(a:cuda(), {full_matrices = full})
    test.equal(s.device, tide.device("cuda"))
    near(s, L.svdvals(a), dtype, size, scale)
    near(L.svdvals(a:cuda()), s:cpu(), dtype, size, scale)
    orthogonal(u, dtype)
    orthogonal(transposed(vh), dtype)
    test.equal(u.shape[#u.shape], full and rows or rank)
    test.equal(vh.shape[#vh.shape - 1], full and columns or rank)
    local first = (u:narrow(-1, 1, rank) * s:unsqueeze(-2)):matmul(vh:narrow(-2, 1, rank))
    near(first, a, dtype, size, scale)
  end
end

for _, dtype in ipairs {"float32", "float64"} do
  describe("on cuda, in " .. dtype .. ",", function()
    test.before_each(function() tide.manual_seed(5) end)
    local function randn(...) return tide.randn({...}, {dtype = dtype}) end

    it("eigenvectors reconstruct symmetric matrices", function()
      for _, n in ipairs {1, 2, 3, 4, 7, 16, 33} do check_symmetric(randn(n, n), dtype, 1 + n ^ 0.5) end
      check_symmetric(randn(3, 2, 5, 5), dtype, 4)
      check_symmetric(transposed(randn(4, 6, 6)), dtype, 4)
    end)

    it("eigenvalues may be equal, zero, or far apart", function()
      check_symmetric(tide.zeros({4, 4}, {dtype = dtype}), dtype)
      check_symmetric(tide.eye(5, {dtype = dtype}), dtype)
      check_symmetric(tide.ones({6, 6}, {dtype = dtype}), dtype, 6)
      check_symmetric(tide.tensor({{0, 1}, {1, 0}}, {dtype = dtype}), dtype)
      check_symmetric(tide.diag(tide.tensor({1e-12, -3, 1e12, 0, 1}, {dtype = dtype})), dtype, 1e12)
    end)

    it("singular vectors reconstruct matrices of any shape", function()
      for _, shape in ipairs {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {1, 6}, {6, 1}, {4, 9}, {9, 4}, {33, 7}, {7, 33}} do
        check_any(randn(table.unpack(shape)), dtype, 12)
      end
      check_any(randn(2, 3, 4, 3), dtype, 4)
      check_any(transposed(randn(3, 5, 2)), dtype, 4)
    end)

    it("singular values may be equal, zero, or far apart", function()
      check_any(tide.zeros({4, 3}, {dtype = dtype}), dtype)
      check_any(tide.zeros({3, 4}, {dtype = dtype}), dtype)
      check_any(tide.eye(5, {dtype = dtype}), dtype)
      check_any(tide.ones({6, 4}, {dtype = dtype}), dtype, 6)
      check_any(randn(7, 2):matmul(randn(2, 5)), dtype, 12)
      check_any(tide.tensor({{0, 0, 2}, {0, 0, 0}, {1e-30, 0, 0}}, {dtype = dtype}), dtype)
    end)

    it("columns may be linearly dependent, or nearly", function()
      for _, shape in ipairs {{8, 7}, {5, 13}, {9, 9}} do
        local rows, columns = shape[1], shape[2]
        local i = tide.arange(1, rows + 1, {dtype = "float64"}):unsqueeze(2)
        local j = tide.arange(1, columns + 1, {dtype = "float64"})
        local random = tide.randn({rows, columns}, {dtype = "float64"})
        for _, a in ipairs {i * j, i + j, (i * j) % 2, 1 / (i + j - 1), i:eq(j + 1), random * tide.exp(-5 * j)} do
          a = a:to(dtype)
          check_any(a, dtype, 100)
          if rows == columns then check_symmetric(a + transposed(a), dtype, 100) end
        end
      end
    end)

    it("values near the limits of the type neither overflow nor underflow", function()
      local ends = dtype == "float32" and {1e-38, 1e37} or {1e-305, 1e305}
      for _, scale in ipairs(ends) do
        local a = randn(5, 5)
        local symmetric = a + transposed(a)
        near(L.eigvalsh((symmetric * scale):cuda()) / scale, L.eigvalsh(symmetric), dtype, 5, 100)
        near(L.svdvals((a * scale):cuda()) / scale, L.svdvals(a), dtype, 5, 100)
      end
    end)

    it("a matrix with nan or infinity is an error that names it", function()
      local a = tide.eye(3, {dtype = dtype}):expand(4, 3, 3):clone()
      a[3][2][1] = 0 / 0
      a[4][1][1] = math.huge
      test.raises("matrix 3 of the stack contains nan or infinity", function() return L.eigvalsh(a:cuda()):tolist() end)
      test.raises("matrix 3 of the stack contains nan or infinity", function() return L.svdvals(a:cuda()):tolist() end)
      near(L.svdvals(tide.eye(2, {dtype = dtype, device = "cuda"})), tide.ones({2}, {dtype = dtype}), dtype, 2)
    end)
  end)
end

describe("on cuda", function()
  it("gradients of values and of vectors equal the cpu's", function()
    tide.manual_seed(6)
    local a = tide.randn({2, 4, 3}, {dtype = "float64"})
    local function gradient(device, value)
      local x = a:to(device):detach():requires_grad_(true)
      value(x):backward()
      return x.grad:cpu()
    end
    for _, value in ipairs {
      function(x) return (L.svdvals(x) ^ 2):sum() + L.svdvals(x):select(-1, 1):sum() end,
      function(x)
        local u, s, vh = L.svd(x, {full_matrices = false})
        return ((u * s:exp():unsqueeze(-2)):matmul(vh) ^ 3):sum()
      end,
      function(x)
        local w, v = L.eigh(transposed(x):matmul(x))
        return ((v * w:exp():unsqueeze(-2)):matmul(transposed(v)) ^ 2):sum()
      end,
    } do
      test.close(gradient("cuda", value), gradient("cpu", value), {rtol = 1e-9, atol = 1e-9})
    end
  end)

  it("matrices too large for a block are computed by the host", function()
    tide.manual_seed(7)
    local a = tide.randn({kLargest + 1, 3}, {dtype = "float64"})
    local _, s = L.svd(a:cuda(), {full_matrices = false})
    local _, expected = L.svd(a, {full_matrices = false})
    test.equal(s:cpu(), expected)
  end)

  it("an empty stack has no values", function()
    test.equal(L.eigvalsh(tide.zeros({0, 3, 3}, {device = "cuda"})).shape, {0, 3})
    test.equal(L.svdvals(tide.zeros({2, 0, 3}, {device = "cuda"})).shape, {2, 0})
  end)
end)
