// The current precision, and the names of precisions.
#include "runtime/ops/float32_precision.h"

#include <array>
#include <atomic>

namespace tide {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"highest", "high", "medium"};
std::atomic<Float32Precision> in_force = Float32Precision::highest;

}  // namespace

Float32Precision float32_matmul_precision() { return in_force; }

void set_float32_matmul_precision(Float32Precision precision) { in_force = precision; }

std::string_view name_of(Float32Precision precision) {
  return kNames[static_cast<size_t>(precision)];
}

std::optional<Float32Precision> float32_precision_from_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Float32Precision>(i);
  return std::nullopt;
}

}  // namespace tide
