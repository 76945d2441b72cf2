// Views with a grad function.
#include "runtime/ops/shape/view.h"

#include <algorithm>
#include <memory>

#include "runtime/autograd/autograd_state.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"

namespace tide {

Layout erase_dim(const Layout& layout, int dim) {
  Layout result = layout;
  result.shape.erase(dim);
  std::copy(layout.strides.begin() + dim + 1, layout.strides.begin() + layout.rank(),
            result.strides.begin() + dim);
  return result;
}

Layout insert_dim(const Layout& layout, int dim, int64_t size, int64_t stride) {
  Layout result = layout;
  result.shape.insert(dim, size);
  std::copy(layout.strides.begin() + dim, layout.strides.begin() + layout.rank(),
            result.strides.begin() + dim + 1);
  result.strides[dim] = stride;
  return result;
}

Layout slice_dim(const Layout& layout, int dim, int64_t first, int64_t count, int64_t step) {
  Layout result = layout;
  if (count > 0) result.offset += first * layout.strides[dim];
  result.shape[dim] = count;
  result.strides[dim] = layout.strides[dim] * step;
  return result;
}

Layout permute_dims(const Layout& layout, const int* order) {
  Layout result = layout;
  for (int d = 0; d < layout.rank(); ++d) {
    result.shape[d] = layout.shape[order[d]];
    result.strides[d] = layout.strides[order[d]];
  }
  return result;
}

Tensor view_part(const char* name, const Tensor& x, const Layout& in_storage, const Layout& part) {
  Tensor y = make_view(x, in_storage);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, name, {x}, false,
                [name, shape = x.shape(), part](const GradientCall& call) -> std::vector<Tensor> {
                  return {place_part(name, call.dy, shape, part)};
                });
    if (const Ref<GradFn> grad_fn = grad_fn_of(y)) grad_fn->shown = std::make_unique<Layout>(part);
  }
  return y;
}

Tensor take_part(const char* name, const Tensor& x, const Layout& part) {
  const Tensor dense = contiguous(x);
  Layout in_storage = part;
  in_storage.offset += dense.layout().offset;
  return view_part(name, dense, in_storage, part);
}

namespace {

/// place_part for layouts with overlapping elements.
Tensor add_parts(const char* name, const Tensor& x, const Shape& shape, const Layout& part) {
  // Along a stride of 0 all elements overlap.
  Dims repeated;
  Layout once = part;
  for (int d = 0; d < part.rank(); ++d) {
    if (part.strides[d] != 0 || part.shape[d] == 1) continue;
    repeated.push_back(d);
    once.shape[d] = 1;
  }
  const Tensor sums = repeated.empty() ? x : sum(x, repeated, true);
  if (once.is_injective()) return place_part(name, sums, shape, once);
  const Tensor none = zeros({shape.numel()}, {.dtype = x.dtype(), .device = x.device()});
  ++once.offset;  // positions count from 1
  const Tensor at = ravel(index_iota(once, x.device()));
  return reshape_to(scatter_along(name, none, 0, at, ravel(sums), true), shape);
}

}  // namespace

Tensor place_part(const char* name, const Tensor& x, const Shape& shape, const Layout& part) {
  if (!part.is_injective()) return add_parts(name, x, shape, part);
  Tensor y = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  record_fill(name, make_view(y, part), x);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, name, {x}, false, [name, part](const GradientCall& call) -> std::vector<Tensor> {
      return {take_part(name, call.dy, part)};
    });
  }
  return y;
}

Tensor view_whole(const char* name, const Tensor& x, const Layout& layout,
                  Tensor (*gradient)(const Tensor& dy, const Shape& shape)) {
  Tensor y = make_view(x, layout);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, name, {x}, false,
                [gradient, shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                  return {gradient(call.dy, shape)};
                });
  }
  return y;
}

}  // namespace tide
