// Rows of names that are not functions: operators, indexing, types.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/types/dtype.h"

namespace tide::bindings {

/// What scripts write: "x + y", "tide.version".
struct Notation {
  const char* text;
  const char* family;
  const char* doc;      ///< one sentence without a final period
  const char* example;  ///< a line of Lua, and its result after -->
};

/// All notations, by family, except the names of types.
std::span<const Notation> notations();

/// The fields of `tide` that name types: their own names, then PyTorch's aliases.
std::vector<std::pair<std::string, DType>> type_names();

}  // namespace tide::bindings
