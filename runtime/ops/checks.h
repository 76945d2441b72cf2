// Checks of arguments that many ops make, so that one kind of mistake has one text.
#pragma once

#include <string>

#include "runtime/core/dtype.h"
#include "runtime/core/error.h"

namespace tide {

/// Throws DTypeError unless the type is a floating one.
inline void check_floating(const char* op, DType type) {
  if (!is_floating(type))
    throw DTypeError(std::string(op) + ": expected a floating type, got " +
                     std::string(name_of(type)));
}

}  // namespace tide
