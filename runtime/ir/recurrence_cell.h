// The kinds of recurrent cells.
#pragma once

#include <cstdint>

namespace tide {

/// A recurrent cell; the attribute of the ops that run one over sequences.
enum class RecurrenceCell : uint8_t { tanh, relu, lstm, gru };

/// How many values the input and the hidden state add up to for each unit.
constexpr int64_t gate_count(RecurrenceCell cell) {
  return cell == RecurrenceCell::lstm ? 4 : cell == RecurrenceCell::gru ? 3 : 1;
}

}  // namespace tide
