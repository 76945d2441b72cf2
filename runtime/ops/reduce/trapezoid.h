// Integrals by the trapezoidal rule.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// The area under the line through y, at distances dx (1) or coordinates x, along dim (the last).
Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x = {},
                 std::optional<double> dx = {}, std::optional<Dim> dim = {});
Tensor cumulative_trapezoid(const Tensor& y, const std::optional<Tensor>& x = {},
                            std::optional<double> dx = {}, std::optional<Dim> dim = {});

}  // namespace tide
