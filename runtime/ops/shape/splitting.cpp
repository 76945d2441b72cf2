// Splitting a tensor into parts along a dimension.
#include "runtime/ops/shape/splitting.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

std::vector<Tensor> split_rank(const char* op, const Tensor& x, int64_t sections, int rank,
                               int dim) {
  check_min_rank(op, x, rank);
  if (sections < 1 || x.shape()[dim] % sections != 0)
    throw ShapeError(std::string(op) + ": dimension " + std::to_string(dim + 1) + " of " +
                     x.shape().text() + " does not divide into " + std::to_string(sections));
  return tensor_split(x, sections, Dim{dim});
}

}  // namespace

std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, std::optional<Dim> dim) {
  check_least("tensor_split", "the number of parts", sections, 1);
  check_min_rank("tensor_split", x, 1);
  const int axis = resolve_dim("tensor_split", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[axis];
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < sections; ++i)
    sizes.push_back(length / sections + (i < length % sections));
  return split_sizes(x, sizes, Dim{axis});
}

std::vector<Tensor> tensor_split_after(const Tensor& x, const std::vector<int64_t>& indices,
                                       std::optional<Dim> dim) {
  check_min_rank("tensor_split", x, 1);
  const int axis = resolve_dim("tensor_split", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[axis];
  std::vector<Tensor> parts;
  int64_t first = 0;
  const auto add = [&](int64_t end) {
    const int64_t stop = std::clamp(end < 0 ? end + length : end, int64_t{0}, length);
    parts.push_back(slice(x, axis, first, std::max<int64_t>(0, stop - first)));
    first = stop;
  };
  for (int64_t index : indices) add(index);
  add(length);
  return parts;
}

std::vector<Tensor> tensor_split_by(const Tensor& x, const Tensor& cuts, std::optional<Dim> dim) {
  check_max_rank("tensor_split", cuts, 1, "cuts");
  const std::vector<int64_t> numbers = read_integers("tensor_split", cuts);
  return cuts.rank() == 0 ? tensor_split(x, numbers[0], dim) : tensor_split_after(x, numbers, dim);
}

std::vector<Tensor> hsplit(const Tensor& x, int64_t sections) {
  return split_rank("hsplit", x, sections, 1, x.rank() == 1 ? 0 : 1);
}

std::vector<Tensor> hsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("hsplit", x, 1);
  return tensor_split_after(x, indices, Dim{x.rank() == 1 ? 0 : 1});
}

std::vector<Tensor> vsplit(const Tensor& x, int64_t sections) {
  return split_rank("vsplit", x, sections, 2, 0);
}

std::vector<Tensor> vsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("vsplit", x, 2);
  return tensor_split_after(x, indices, Dim{0});
}

std::vector<Tensor> dsplit(const Tensor& x, int64_t sections) {
  return split_rank("dsplit", x, sections, 3, 2);
}

std::vector<Tensor> dsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("dsplit", x, 3);
  return tensor_split_after(x, indices, Dim{2});
}

}  // namespace tide
