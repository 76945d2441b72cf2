// The ops that autograd uses.
#include "runtime/autograd/gradient_ops.h"

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"

namespace tide {

constinit const GradientOps gradient_ops{
    .add = [](const Tensor& a, const Tensor& b) { return add(a, b); },
    .convert = convert,
    .in_format = in_format,
    .copy = [](const Tensor& x) { return clone_in(x, "contiguous_format"); },
    .sum_to = sum_to,
    .take_part = take_part,
    .place_part = place_part,
    .all_finite = [](const Tensor& x) { return all(isfinite(x)); },
};

}  // namespace tide
