// x[...]: entries become one view, then, if some are tensors, one gather or scatter along a single
// dimension that joins the indexed ones.
#include "runtime/ops/index/indexing.h"

#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/ops/shape/write.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

using Kind = IndexEntry::Kind;

/// A view by entries without tensors, as a change of x's own layout and of a dense one.
struct PartialView {
  Layout in_storage, part;
  int dim = 0;  ///< the dimension that the next entry refers to

  void select(int64_t index) {
    for (Layout* layout : {&in_storage, &part})
      *layout = erase_dim(slice_dim(*layout, dim, index, 1, 1), dim);
  }
  void take(int64_t first, int64_t count, int64_t step) {
    for (Layout* layout : {&in_storage, &part})
      *layout = slice_dim(*layout, dim, first, count, step);
    ++dim;
  }
  void insert() {
    for (Layout* layout : {&in_storage, &part}) *layout = insert_dim(*layout, dim, 1, 0);
    ++dim;
  }
};

/// A tensor among the entries: positions, or a mask over several dimensions.
struct TensorIndex {
  int dim;
  Tensor positions;
};

int dims_of(const IndexEntry& entry) {
  switch (entry.kind) {
    case Kind::ellipsis:
    case Kind::new_dim:
      return 0;
    case Kind::tensor:
      return entry.tensor.dtype() == DType::boolean ? entry.tensor.rank() : 1;
    default:
      return 1;
  }
}

/// The number of dimensions that an ellipsis stands for.
int free_dims(const Tensor& x, std::span<const IndexEntry> entries) {
  int used = 0, ellipses = 0;
  for (const IndexEntry& entry : entries) {
    used += dims_of(entry);
    ellipses += entry.kind == Kind::ellipsis;
  }
  if (used > x.rank())
    throw ShapeError("index: too many entries: " + std::to_string(used) + " for " +
                     x.shape().text());
  if (ellipses > 1) throw ShapeError("index: only one \"...\" is possible");
  return x.rank() - used;
}

void take_range(PartialView& view, const IndexEntry& entry) {
  const int64_t size = view.in_storage.shape[view.dim];
  if (entry.first == 0) throw ShapeError("index: positions start at 1, got 0");
  // A last of 0 is an empty range, as in Lua's loops: {1, n} may be empty.
  const auto index = [&](int64_t position) {
    return position < 0 ? position + size : position - 1;
  };
  const int64_t first = index(entry.first), last = index(entry.last), step = entry.step;
  check_least("index", "the step of a range", step, 1);
  const int64_t count = last < first ? 0 : (last - first) / step + 1;
  if (count > 0 && (first < 0 || last >= size))
    throw ShapeError("index: range out of bounds: {" + std::to_string(entry.first) + ", " +
                     std::to_string(entry.last) + "} of " + std::to_string(size));
  view.take(first, count, step);
}

/// The positions of true elements of a mask over the dimensions from `dim` on, one tensor each. A
/// 0-d mask applies to all of x: it stands for a new dimension of size 1. Waits.
void add_mask(std::vector<TensorIndex>& indices, PartialView& view, const Tensor& mask) {
  if (mask.rank() == 0) {
    indices.push_back({view.dim, where_positions(reshape_to(mask, {1}))[0]});
    return view.insert();
  }
  for (int d = 0; d < mask.rank(); ++d)
    if (mask.shape()[d] != view.in_storage.shape[view.dim + d])
      throw ShapeError("index: a mask of shape " + mask.shape().text() + " does not fit " +
                       view.in_storage.shape.text());
  const std::vector<Tensor> positions = where_positions(mask);
  for (int d = 0; d < mask.rank(); ++d) indices.push_back({view.dim + d, positions[d]});
}

/// Applies the entries without tensors, and collects the others.
PartialView apply(const Tensor& x, std::span<const IndexEntry> entries,
                  std::vector<TensorIndex>& indices) {
  PartialView view{x.layout(), Layout(x.shape())};
  const int free = free_dims(x, entries);
  for (const IndexEntry& entry : entries) {
    switch (entry.kind) {
      case Kind::position:
        view.select(
            resolve_position("index", Position{entry.first}, view.in_storage.shape[view.dim]));
        break;
      case Kind::range:
        take_range(view, entry);
        break;
      case Kind::all:
        ++view.dim;
        break;
      case Kind::ellipsis:
        view.dim += free;
        break;
      case Kind::new_dim:
        view.insert();
        break;
      case Kind::tensor:
        if (entry.tensor.dtype() == DType::boolean)
          add_mask(indices, view, entry.tensor);
        else
          indices.push_back({view.dim, positions_of("index", entry.tensor)});
        view.dim += dims_of(entry);
    }
  }
  return view;
}

Tensor view_of(const Tensor& x, const PartialView& view) {
  return view_part("index", x, view.in_storage, view.part);
}

/// The indexed dimensions of a view brought together and joined into one.
struct Joined {
  std::array<int, kMaxDims> order{};  ///< dimension d of the joined view was order[d]
  Shape permuted;                     ///< sizes in that order
  int at = 0, count = 0;              ///< the run of indexed dimensions there
  Shape index_shape;                  ///< the common shape of the positions
  Tensor positions;                   ///< in the joined dimension, of one dimension
};

/// Combines several positions into one in the joined dimension. Each is checked against its own
/// dimension, as a combined one could hide a position out of range.
Tensor join_positions(const std::vector<TensorIndex>& indices, const Shape& sizes,
                      const Shape& shape) {
  Tensor joined;
  for (const TensorIndex& index : indices) {
    const int64_t size = sizes[index.dim];
    const Tensor positions =
        reshape_to(broadcast_to(from_the_end(index.positions, size), shape), {shape.numel()});
    if (indices.size() == 1) return positions;
    const Tensor checked = require_positions("index", positions, size);
    joined = joined.defined() ? (joined - 1) * Number(size) + checked : checked;
  }
  return joined;
}

Joined join(const Shape& shape, const std::vector<TensorIndex>& indices) {
  Joined joined;
  joined.count = static_cast<int>(indices.size());
  for (const TensorIndex& index : indices)
    joined.index_shape = broadcast("index", joined.index_shape, index.positions.shape());
  const int first = indices.front().dim;
  const bool adjacent = indices.back().dim - first == joined.count - 1;
  joined.at = adjacent ? first : 0;
  unsigned indexed = 0;
  for (const TensorIndex& index : indices) indexed |= 1u << index.dim;
  int other = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int in_run = d - joined.at;
    if (in_run >= 0 && in_run < joined.count) {
      joined.order[d] = indices[static_cast<size_t>(in_run)].dim;
    } else {
      while (indexed >> other & 1) ++other;
      joined.order[d] = other++;
    }
    joined.permuted.push_back(shape[joined.order[d]]);
  }
  joined.positions = join_positions(indices, shape, joined.index_shape);
  return joined;
}

/// `shape` with `sizes` in place of the `count` dimensions from `at`.
Shape replace(const Shape& shape, int at, int count, const Shape& sizes) {
  Shape result = shape;
  for (int i = 0; i < count; ++i) result.erase(at);
  for (int i = 0; i < sizes.rank(); ++i) result.insert(at + i, sizes[i]);
  return result;
}

Tensor permute_by(const Tensor& x, const std::array<int, kMaxDims>& order) {
  Dims dims;
  bool moved = false;
  for (int d = 0; d < x.rank(); ++d) {
    dims.push_back(order[d]);
    moved = moved || order[d] != d;
  }
  return moved ? permute(x, dims) : x;
}

/// A view in the joined form.
Tensor to_joined(const Joined& joined, const Tensor& view) {
  int64_t size = 1;
  for (int i = 0; i < joined.count; ++i) size *= joined.permuted[joined.at + i];
  return reshape_to(permute_by(view, joined.order),
                    replace(joined.permuted, joined.at, joined.count, {size}));
}

Tensor pick(const Tensor& view, const std::vector<TensorIndex>& indices) {
  const Joined joined = join(view.shape(), indices);
  const Tensor from = to_joined(joined, view);
  return select_along("index", from, joined.at, reshape_to(joined.positions, joined.index_shape));
}

Tensor as_tensor(const TensorOrNumber& value, DType type, Device device) {
  if (value.tensor.defined()) return convert(value.tensor, type);
  check_fits("index", value.number, type);
  return full({}, value.number, {.dtype = type, .device = device});
}

/// `view` with `value` written, or added, at the indices.
Tensor changed_at(const Tensor& view, const std::vector<TensorIndex>& indices,
                  const TensorOrNumber& value, bool add) {
  const Joined joined = join(view.shape(), indices);
  const Tensor base = to_joined(joined, view);
  Shape shape = base.shape();
  shape[joined.at] = joined.positions.numel();
  const Shape target = replace(shape, joined.at, 1, joined.index_shape);
  const Tensor source = as_tensor(value, view.dtype(), view.device());
  if (!(broadcast("index", source.shape(), target) == target))
    throw ShapeError("index: a value of shape " + source.shape().text() + " does not fit " +
                     target.text());
  const Tensor flat_source = reshape_to(broadcast_to(source, target), shape);
  if (flat_source.numel() == 0 && !needs_grad_fn(flat_source)) return view;
  const Tensor changed = scatter_along(
      "index", base, joined.at, spread_index(joined.positions, shape, joined.at), flat_source, add);
  std::array<int, kMaxDims> back{};
  for (int d = 0; d < view.rank(); ++d) back[joined.order[d]] = d;
  return permute_by(reshape_to(changed, joined.permuted), back);
}

/// A single mask whose value is one number needs no positions: all elements are written, unselected
/// ones with their old value.
bool is_plain_mask(std::span<const IndexEntry> entries, const TensorOrNumber& value) {
  return entries.size() == 1 && entries[0].kind == Kind::tensor &&
         entries[0].tensor.dtype() == DType::boolean &&
         (!value.tensor.defined() || value.tensor.numel() == 1);
}

void write_masked(const Tensor& x, const Tensor& mask, const TensorOrNumber& value) {
  Shape shape = mask.shape();
  bool fits = mask.rank() <= x.rank();
  for (int d = 0; fits && d < mask.rank(); ++d) fits = mask.shape()[d] == x.shape()[d];
  if (!fits)
    throw ShapeError("index: a mask of shape " + mask.shape().text() + " does not fit " +
                     x.shape().text());
  while (shape.rank() < x.rank()) shape.push_back(1);
  if (!value.tensor.defined()) check_fits("index", value.number, x.dtype());
  const Tensor chosen = value.tensor.defined() ? reshape_to(value.tensor, {}) : Tensor();
  const TensorOrNumber one = chosen.defined() ? TensorOrNumber(convert(chosen, x.dtype())) : value;
  write("index", x, convert(where(reshape_to(mask, shape), one, x), x.dtype()));
}

}  // namespace

Tensor index(const Tensor& x, std::span<const IndexEntry> entries) {
  std::vector<TensorIndex> indices;
  const Tensor view = view_of(x, apply(x, entries, indices));
  return indices.empty() ? view : pick(view, indices);
}

void assign(const Tensor& x, std::span<const IndexEntry> entries, const TensorOrNumber& value) {
  if (is_plain_mask(entries, value)) return write_masked(x, entries[0].tensor, value);
  std::vector<TensorIndex> indices;
  const Tensor view = view_of(x, apply(x, entries, indices));
  if (indices.empty())
    write("index", view, value);
  else
    write("index", view, changed_at(view, indices, value, false));
}

Tensor index_put(const Tensor& x, const std::vector<Tensor>& indices, const TensorOrNumber& values,
                 bool accumulate) {
  check_any_tensor("index_put", indices);
  if (values.tensor.defined()) check_same_type("index_put", x.dtype(), values.tensor.dtype());
  std::vector<IndexEntry> entries(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    entries[i].kind = Kind::tensor;
    entries[i].tensor = indices[i];
  }
  std::vector<TensorIndex> positions;
  apply(x, entries, positions);
  const Tensor y = changed_at(x, positions, values, accumulate);
  return y == x ? clone(x) : y;
}

Tensor index_first(const Tensor& x, int64_t position) {
  check_min_rank("index", x, 1);
  PartialView view{x.layout(), Layout(x.shape())};
  view.select(resolve_position("index", Position{position}, x.shape()[0]));
  return view_of(x, view);
}

}  // namespace tide
