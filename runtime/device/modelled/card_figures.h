// What a card can do, by the figures of its data sheet.
#pragma once

#include <array>
#include <string>

#include "runtime/core/dtype.h"

namespace tide {

/// What a card can do at most. Rates are a second.
struct CardFigures {
  std::string name;
  double bandwidth = 0;  ///< bytes, of its memory
  double link = 0;       ///< bytes, in one direction; 0: as fast as its memory
  double launch = 0;     ///< seconds of a kernel that does nothing
  double latency = 0;    ///< seconds of a transfer of nothing
  /// Operations, by type: of the Tensor Cores, and of the others. 0: the card has none for the
  /// type, which then runs as float32 on the others.
  std::array<double, kDTypeCount> tensor_peaks{}, peaks{};

  friend bool operator==(const CardFigures& a, const CardFigures& b) = default;
};

}  // namespace tide
