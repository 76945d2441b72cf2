// In-place writes: their grad functions, and those of the views that share the elements.
#include "runtime/ops/shape/write.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "runtime/autograd/autograd.h"
#include "runtime/autograd/autograd_state.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/tensor/check_fits.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Where a view lies in the base of its group: both as layouts of one dense range of elements,
/// which is the base itself if that is dense or the view shows all of it.
struct Overlap {
  Shape range, shape;  ///< of the range, of the base
  Layout base, view;

  Overlap(const Layout& of_base, const Layout& of_view)
      : range(of_base.shape), shape(of_base.shape), base(of_base.shape), view(of_view) {
    if (of_view == of_base) {
      view = base;
      return;
    }
    auto [first, last] = of_base.range();
    const auto [view_first, view_last] = of_view.range();
    const bool inside = of_view.shape.numel() == 0 || (view_first >= first && view_last <= last);
    if (!inside) {  // as_strided may show more than the base
      first = std::min(first, view_first);
      last = std::max(last, view_last);
    }
    view.offset -= first;
    if (inside && of_base.is_contiguous()) return;
    range = Shape{last - first};
    base = of_base;
    base.offset -= first;
  }

  bool is_base() const { return range == shape; }
  /// A tensor of the base's shape as the range.
  Tensor to_range(const char* name, const Tensor& x) const {
    return is_base() ? x : place_part(name, x, range, base);
  }
  Tensor from_range(const char* name, const Tensor& x) const {
    return is_base() ? x : take_part(name, x, base);
  }
};

/// The grad function of a view whose base was written: it shows what the base is now.
Ref<GradFn> grad_fn_of_view(const GradFnGroup& group, const Tensor& view) {
  Ref<GradFn> grad_fn =
      new_grad_fn("view", {edge_to(group.grad_fn, group.base.shape, view.dtype(), view.device())},
                  view.shape(), view.dtype(), view.device());
  const Overlap overlap(group.base, view.layout());
  grad_fn->gradient = [overlap](const GradientCall& call) -> std::vector<Tensor> {
    return {overlap.from_range("view", place_part("view", call.dy, overlap.range, overlap.view))};
  };
  if (overlap.is_base() && overlap.view.is_injective())
    grad_fn->shown = std::make_unique<Layout>(overlap.view);
  return grad_fn;
}

}  // namespace

void write(const char* name, const Tensor& x, const TensorOrNumber& value) {
  if (!value.tensor.defined()) check_fits(name, value.number, x.dtype());
  check_may_change(name, x);
  AutogradState* state = find_autograd_state(x);
  const bool from_value = value.tensor.defined() && needs_grad_fn(value.tensor);
  const bool tracked = is_floating(x.dtype()) && (from_value || needs_grad_fn(x));
  const bool notes =
      tracked || (GradientMode::enabled() && state && state->group && state->group->grad_fn);
  // One value in the same place is the same, however often it is written.
  const bool many = value.tensor.defined() && value.tensor.numel() > 1;
  if ((many || notes) && !x.layout().is_dense() && !x.layout().is_injective())
    throw Error(std::string(name) +
                ": several elements of the tensor share one memory location; use clone()");
  if (!notes) return record_write(name, x, value);

  GradFnGroup& group = group_of(x);
  const Overlap overlap(group.base, x.layout());
  const bool has_value = value.tensor.defined();
  // Where all of the base is overwritten, the gradient of what it was is zero.
  std::vector<GradFn::Edge> edges{edge_to(group.grad_fn, group.base.shape, x.dtype(), x.device())};
  if (has_value) edges.push_back(edge_to(value.tensor));
  Ref<GradFn> grad_fn =
      new_grad_fn(name, std::move(edges), group.base.shape, x.dtype(), x.device());
  const Shape value_shape = has_value ? value.tensor.shape() : Shape();
  const DType value_type = has_value ? value.tensor.dtype() : x.dtype();
  grad_fn->gradient = [name, overlap, has_value, value_shape,
                       value_type](const GradientCall& call) {
    std::vector<Tensor> result(has_value ? 2 : 1);
    const Tensor dy = overlap.to_range(name, call.dy);
    if (call.needed[0]) {
      const Tensor remaining = clone_in(dy, "contiguous_format");
      write(name, make_view(remaining, overlap.view), Number(0));
      result[0] = overlap.from_range(name, remaining);
    }
    if (has_value && call.needed[1])
      result[1] = convert(sum_to(take_part(name, dy, overlap.view), value_shape), value_type);
    return result;
  };
  record_write(name, x, value);
  group.grad_fn = std::move(grad_fn);
  group.grad_fn_of_view = grad_fn_of_view;
  ++group.version;
}

}  // namespace tide
