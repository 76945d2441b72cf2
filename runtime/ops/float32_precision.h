// How exact products of float32 have to be: whether devices may round their factors to TF32.
#pragma once

#include <optional>
#include <string_view>

namespace tide {

/// `highest`: factors are float32. `high`, `medium`: products and convolutions recorded from then
/// on may take their factors in TF32 (8 bits of exponent, 10 of fraction) where a device has units
/// for it, and add in float32. The cpu and the simulated devices always compute in float32.
enum class Float32Precision { highest, high, medium };

/// What holds for the whole process; `highest` at the start. Thread-safe.
Float32Precision float32_matmul_precision();
void set_float32_matmul_precision(Float32Precision precision);

std::string_view name_of(Float32Precision precision);
/// None if there is no precision of this name.
std::optional<Float32Precision> float32_precision_from_name(std::string_view name);

}  // namespace tide
