// The peak rates of a GPU from its data sheet.
#pragma once

#include <array>
#include <string>

#include "runtime/types/dtype.h"

namespace tide {

/// The peak rates of a GPU, per second.
struct CardFigures {
  std::string name;
  double bandwidth = 0;  ///< bytes, of its memory
  double link = 0;       ///< bytes, in one direction; 0: as fast as its memory
  double launch = 0;     ///< seconds of an empty kernel
  double latency = 0;    ///< seconds of an empty transfer
  /// Operations by type, on Tensor Cores and on other units. 0: the GPU has none for the type,
  /// which then runs as float32 on the others.
  std::array<double, kDTypeCount> tensor_peaks{}, peaks{};

  friend bool operator==(const CardFigures& a, const CardFigures& b) = default;
};

}  // namespace tide
