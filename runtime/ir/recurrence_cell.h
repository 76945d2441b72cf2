// The kinds of recurrent cells.
#pragma once

#include <cstdint>

namespace tide {

/// A recurrent cell; the attribute of the ops that run one over sequences.
enum class RecurrenceCell : uint8_t { tanh, relu, lstm, gru };

/// Number of gate values per unit, computed from the input and the hidden state.
constexpr int64_t gate_count(RecurrenceCell cell) {
  return cell == RecurrenceCell::lstm ? 4 : cell == RecurrenceCell::gru ? 3 : 1;
}

}  // namespace tide
