// Recurrent layers over whole sequences as one op. No grad functions: what calls these has its own.
#pragma once

#include <optional>
#include <vector>

#include "runtime/ir/recurrence_cell.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One layer in one direction. The rows of its arrays are those of the first step, then of the
/// second, and so on.
struct Recurrence {
  RecurrenceCell cell;
  bool backwards;              ///< the last step comes first
  std::vector<int64_t> sizes;  ///< sequences that take part in each step: they never grow
};

/// Whether the device of x has these ops, for values of its type.
bool does_recurrence(const Tensor& x);

/// `input` (rows, gates * size) is what the input adds to all gates, `state` {h} or {h, c}, each
/// (n, size), `weight` (gates * size, size), the optional `bias` (gates * size). All are of one
/// type. Returns h of all rows and the state at the end; with `keep` also what the way back needs:
/// values of the cell's own, h before each step and, for an lstm, c before it.
std::vector<Tensor> recurrence(const Recurrence& recurrence, const Tensor& input,
                               const std::vector<Tensor>& state, const Tensor& weight,
                               const std::optional<Tensor>& bias, bool keep);

/// Of gradients of h of all rows and of the state at the end, and what was kept: the gradients of
/// `input` and of the state; for a gru also that of what the hidden state added to all gates, which
/// is for the others that of `input`.
std::vector<Tensor> recurrence_backward(const Recurrence& recurrence,
                                        const std::vector<Tensor>& gradients,
                                        const std::vector<Tensor>& kept, const Tensor& weight);

}  // namespace tide
