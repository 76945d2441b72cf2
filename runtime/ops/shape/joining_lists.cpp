// Ops on lists of tensors: common rank or shape, joining, combinations of elements.

#include "runtime/ops/checks.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide {
namespace {

Tensor positions_tensor(const std::vector<int64_t>& values, const Shape& shape, Device device) {
  return record_constant(values.data(), shape, DType::i64, device);
}

/// Rows of positions 1..n taken r at a time, in order.
void collect(int64_t n, int64_t r, bool repeats, std::vector<int64_t>& row, int64_t first,
             std::vector<int64_t>& all) {
  if (static_cast<int64_t>(row.size()) == r) {
    all.insert(all.end(), row.begin(), row.end());
    return;
  }
  for (int64_t i = first; i <= n; ++i) {
    row.push_back(i);
    collect(n, r, repeats, row, repeats ? i : i + 1, all);
    row.pop_back();
  }
}

std::vector<Tensor> each(const std::vector<Tensor>& tensors, Tensor (*change)(const Tensor&)) {
  std::vector<Tensor> changed;
  for (const Tensor& x : tensors) changed.push_back(change(x));
  return changed;
}

}  // namespace

Tensor atleast_1d(const Tensor& x) { return x.rank() == 0 ? reshape_to(x, {1}) : x; }

Tensor atleast_2d(const Tensor& x) { return x.rank() < 2 ? unsqueeze(atleast_1d(x), Dim{0}) : x; }

Tensor atleast_3d(const Tensor& x) { return x.rank() < 3 ? unsqueeze(atleast_2d(x), Dim{-1}) : x; }

std::vector<Tensor> atleast_1d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_1d);
}

std::vector<Tensor> atleast_2d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_2d);
}

std::vector<Tensor> atleast_3d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_3d);
}

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Shape shape;
  for (const Tensor& x : tensors) shape = broadcast("broadcast_tensors", shape, x.shape());
  std::vector<Tensor> results;
  for (const Tensor& x : tensors) results.push_back(broadcast_to(x, shape));
  return results;
}

Tensor block_diag(const std::vector<Tensor>& tensors) {
  check_any_tensor("block_diag", tensors);
  int64_t rows = 0, columns = 0;
  std::vector<Tensor> blocks;
  for (const Tensor& x : tensors) {
    check_max_rank("block_diag", x, 2);
    blocks.push_back(atleast_2d(x));
    rows += blocks.back().shape()[0];
    columns += blocks.back().shape()[1];
  }
  std::vector<Tensor> strips;
  int64_t before = 0;
  for (const Tensor& block : blocks) {
    const int64_t width = block.shape()[1];
    strips.push_back(pad(block, {before, columns - before - width}));
    before += width;
  }
  return cat(strips, Dim{0});
}

Tensor column_stack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> columns;
  for (const Tensor& x : tensors)
    columns.push_back(x.rank() < 2 ? reshape_to(x, {x.numel(), 1}) : x);
  return cat(columns, Dim{1});
}

Tensor dstack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> deep;
  for (const Tensor& x : tensors) deep.push_back(atleast_3d(x));
  return cat(deep, Dim{2});
}

Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  check_any_tensor("cartesian_prod", tensors);
  for (const Tensor& x : tensors) check_rank("cartesian_prod", x, 1);
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns;
  for (const Tensor& axis : meshgrid(tensors)) columns.push_back(flatten(axis));
  return stack(columns, Dim{1});
}

Tensor combinations(const Tensor& x, std::optional<int64_t> r, bool with_replacement) {
  check_rank("combinations", x, 1);
  const int64_t size = r.value_or(2);
  check_least("combinations", "r", size, 0);
  std::vector<int64_t> row, all;
  if (size > 0) collect(x.shape()[0], size, with_replacement, row, 1, all);
  const int64_t count = size > 0 ? static_cast<int64_t>(all.size()) / size : 0;
  const Tensor places = positions_tensor(all, {static_cast<int64_t>(all.size())}, x.device());
  return reshape_to(index_select(x, Dim{0}, places), {count, size});
}

}  // namespace tide
