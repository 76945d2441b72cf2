// Precision of float32 matrix products: whether devices may round the inputs to TF32.
#pragma once

#include <optional>
#include <string_view>

namespace tide {

/// `highest`: inputs stay float32. `high`, `medium`: products and convolutions recorded from then
/// on may use TF32 inputs (8 exponent bits, 10 fraction bits) where a device supports it, and
/// accumulate in float32. The cpu and the simulated devices always compute in float32.
enum class Float32Precision { highest, high, medium };

/// The setting of the process; initially `highest`. Thread-safe.
Float32Precision float32_matmul_precision();
void set_float32_matmul_precision(Float32Precision precision);

std::string_view name_of(Float32Precision precision);
/// Empty if the name is unknown.
std::optional<Float32Precision> float32_precision_from_name(std::string_view name);

}  // namespace tide
