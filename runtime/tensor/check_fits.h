// Which numbers the elements of a type can have.
#pragma once

#include <string>

#include "runtime/tensor/tensor.h"

namespace tide {

/// Throws DTypeError naming `op` unless elements of the type can have the number: its fraction is
/// cut where the type has none, whole negative numbers wrap in uint8, floating types have
/// infinities, and anything is true or false (PyTorch's rule).
void check_fits(const char* op, Number number, DType type);

/// A number as the script would write it.
std::string number_text(double number);

}  // namespace tide
