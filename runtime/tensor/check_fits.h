// Checks that a type can represent a number.
#pragma once

#include <string>

#include "runtime/tensor/tensor.h"

namespace tide {

/// Throws DTypeError naming `op` unless the type can represent the number. By PyTorch's rule,
/// integer types truncate fractions, negative integers wrap in uint8, floating types accept
/// infinities, and bool accepts anything.
void check_fits(const char* op, Number number, DType type);

/// A number in the script's notation.
std::string number_text(double number);

}  // namespace tide
