// Recurrent layers over entire sequences as one op. No grad functions: the callers attach them.
#pragma once

#include <optional>
#include <vector>

#include "runtime/ir/recurrence_cell.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One layer in one direction. Its arrays hold the rows of the first step, then of the second, and
/// so on.
struct Recurrence {
  RecurrenceCell cell;
  bool backwards;              ///< from the last step to the first
  std::vector<int64_t> sizes;  ///< number of sequences in each step: never increases
};

/// Whether the device of x has these ops, for values of its type.
bool does_recurrence(const Tensor& x);

/// `input` (rows, gates * size) is the input's contribution to all gates, `state` {h} or {h, c},
/// each (n, size), `weight` (gates * size, size), the optional `bias` (gates * size). All are of
/// one type. Returns h of all rows and the state at the end; with `keep` also what the backward
/// pass needs: internal values of the cell, h before each step and, for an lstm, c before it.
std::vector<Tensor> recurrence(const Recurrence& recurrence, const Tensor& input,
                               const std::vector<Tensor>& state, const Tensor& weight,
                               const std::optional<Tensor>& bias, bool keep);

/// From the gradients of h of all rows and of the final state, and the kept values: the gradients
/// of `input` and of the initial state; for a gru also that of the hidden state's contribution to
/// all gates, which for other cells equals that of `input`.
std::vector<Tensor> recurrence_backward(const Recurrence& recurrence,
                                        const std::vector<Tensor>& gradients,
                                        const std::vector<Tensor>& saved_values,
                                        const Tensor& weight);

}  // namespace tide
