// Powers, exponentials and chains of matrices; products of vectors.
#include <array>
#include <cmath>
#include <vector>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/linalg_blocks.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The cheapest order in which to multiply matrices of sizes (n_0, n_1), (n_1, n_2), ...:
/// split[i][j] is the matrix after which the product of i..j is split.
std::vector<std::vector<size_t>> best_splits(const std::vector<int64_t>& sizes) {
  const size_t count = sizes.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> split(count, std::vector<size_t>(count, 0));
  for (size_t length = 1; length < count; ++length) {
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      cost[i][j] = INFINITY;
      for (size_t k = i; k < j; ++k) {
        const double cost_of_last = static_cast<double>(sizes[i]) *
                                    static_cast<double>(sizes[k + 1]) *
                                    static_cast<double>(sizes[j + 1]);
        const double total = cost[i][k] + cost[k + 1][j] + cost_of_last;
        if (total < cost[i][j]) cost[i][j] = total, split[i][j] = k;
      }
    }
  }
  return split;
}

Tensor multiply_chain(const std::vector<Tensor>& chain,
                      const std::vector<std::vector<size_t>>& split, size_t i, size_t j) {
  if (i == j) return chain[i];
  const size_t k = split[i][j];
  return mm(multiply_chain(chain, split, i, k), multiply_chain(chain, split, k + 1, j));
}

/// The largest 1-norm of any matrix. Waits.
double largest_norm(const Tensor& a) {
  GradientMode off(false);
  const Tensor norm = convert(amax(sum(abs(a), Dims{-2})), DType::f64);
  double value;
  norm.read(&value, "matrix_exp");
  return value;
}

}  // namespace

Tensor matrix_power(const Tensor& a, int64_t n) {
  if (a.rank() < 2 || rows_of(a) != columns_of(a))
    throw ShapeError("matrix_power: expected a square matrix, got " + a.shape().text());
  if (n == 0) return clone(broadcast_to(identity_like(a, rows_of(a)), a.shape()));
  Tensor power = n < 0 ? linalg_inv(a) : a, result;
  for (uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : n; left > 0; left >>= 1) {
    if (left & 1) result = result.defined() ? matmul(result, power) : power;
    if (left > 1) power = matmul(power, power);
  }
  return result == a ? clone(a) : result;
}

// Pade approximation of degree 13 with scaling and squaring (Higham, "The scaling and squaring
// method for the matrix exponential revisited", 2005).
Tensor matrix_exp(const Tensor& a) {
  if (is_narrow(a.dtype())) return convert(matrix_exp(convert(a, DType::f32)), a.dtype());
  check_square("matrix_exp", a);
  if (a.numel() == 0) return clone(a);
  constexpr double kReach = 5.371920351148152;
  constexpr std::array<double, 14> b = {64764752532480000.0,
                                        32382376266240000.0,
                                        7771770303897600.0,
                                        1187353796428800.0,
                                        129060195264000.0,
                                        10559470521600.0,
                                        670442572800.0,
                                        33522128640.0,
                                        1323241920.0,
                                        40840800.0,
                                        960960.0,
                                        16380.0,
                                        182.0,
                                        1.0};
  const double norm = largest_norm(a);
  if (!std::isfinite(norm)) return a * std::numeric_limits<double>::quiet_NaN();
  const int halvings = norm > kReach ? static_cast<int>(std::ceil(std::log2(norm / kReach))) : 0;
  const Tensor x = a * std::ldexp(1.0, -halvings);
  const Tensor one = identity_like(a, rows_of(a));
  const Tensor x2 = matmul(x, x), x4 = matmul(x2, x2), x6 = matmul(x4, x2);
  // Coefficients divided by b[13], which keeps them in the range of float32.
  const auto odd = matmul(x6, x6 * b[13] + x4 * b[11] + x2 * b[9]) + x6 * b[7] + x4 * b[5] +
                   x2 * b[3] + one * b[1];
  const Tensor u = matmul(x, odd);
  const Tensor v = matmul(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] +
                   x2 * b[2] + one * b[0];
  Tensor result = linalg_solve(v - u, v + u);
  for (int i = 0; i < halvings; ++i) result = matmul(result, result);
  return result;
}

Tensor multi_dot(const std::vector<Tensor>& tensors) {
  const char* name = "linalg.multi_dot";
  if (tensors.size() < 2) throw ShapeError("linalg.multi_dot: expected at least 2 tensors");
  std::vector<Tensor> chain = tensors;
  const bool row = chain.front().rank() == 1, column = chain.back().rank() == 1;
  if (row) chain.front() = as_row(chain.front());
  if (column) chain.back() = as_column(chain.back());
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (chain[i].rank() != 2)
      throw ShapeError(std::string(name) + ": tensor " + std::to_string(i + 1) +
                       " is not a matrix: " + tensors[i].shape().text());
    sizes.push_back(rows_of(chain[i]));
  }
  sizes.push_back(columns_of(chain.back()));
  Tensor result = multiply_chain(chain, best_splits(sizes), 0, chain.size() - 1);
  if (column) result = squeeze(result, Dims{-1});
  return row ? squeeze(result, Dims{0}) : result;
}

Tensor linalg_cross(const Tensor& a, const Tensor& b, std::optional<Dim> dim) {
  const char* name = "linalg.cross";
  check_same_rank(name, a, b);
  const int axis = resolve_dim(name, dim.value_or(Dim{-1}), a.rank());
  if (a.rank() == 0 || a.shape()[axis] != 3 || b.shape()[axis] != 3)
    throw ShapeError(std::string(name) + ": expected vectors of 3 elements, got " +
                     a.shape().text() + " and " + b.shape().text());
  const Dims along{axis};
  const auto turned = [&](const Tensor& x, int64_t by) { return roll(x, Sizes{by}, along); };
  return turned(a, -1) * turned(b, -2) - turned(a, -2) * turned(b, -1);
}

Tensor linalg_vecdot(const Tensor& a, const Tensor& b, std::optional<Dim> dim) {
  return sum(a * b, Dims{dim.value_or(Dim{-1}).value});
}

Tensor linalg_vander(const Tensor& input, std::optional<int64_t> n) {
  const Tensor x = input.rank() == 0 ? reshape_to(input, {1}) : input;
  const int64_t count = n.value_or(x.shape()[x.rank() - 1]);
  check_least("linalg.vander", "the number of powers", count, 0);
  Shape shape = x.shape();
  shape.push_back(count);
  if (count == 0) return new_zeros(x, shape);
  const Tensor column = as_column(x);
  if (count == 1) return ones_like(column);
  shape[shape.rank() - 1] = count - 1;
  const Tensor powers = cumprod(broadcast_to(column, shape), Dim{-1});
  return cat({ones_like(column), powers}, Dim{-1});
}

Tensor linalg_diagonal(const Tensor& a, std::optional<int64_t> offset, std::optional<Dim> dim1,
                       std::optional<Dim> dim2) {
  return diagonal(a, offset, dim1.value_or(Dim{-2}), dim2.value_or(Dim{-1}));
}

Tensor vander(const Tensor& x, std::optional<int64_t> count, bool increasing) {
  check_rank("vander", x, 1);
  const int64_t rows = x.shape()[0], columns = count.value_or(rows);
  check_least("vander", "N", columns, 0);
  const DType type = is_floating(x.dtype()) ? x.dtype() : DType::i64;
  std::vector<Tensor> parts;
  if (columns > 0) parts.push_back(ones({rows, 1}, {.dtype = type, .device = x.device()}));
  if (columns > 1)
    parts.push_back(cumprod(
        broadcast_to(reshape_to(convert(x, type), {rows, 1}), {rows, columns - 1}), Dim{1}));
  if (parts.empty()) return zeros({rows, 0}, {.dtype = type, .device = x.device()});
  const Tensor rising = cat(parts, Dim{1});
  return increasing ? rising : flip(rising, Dims{1});
}

}  // namespace tide
