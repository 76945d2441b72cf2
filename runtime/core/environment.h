// The environment, read in one place: the variables are rows of environment.def. A value that
// cannot be used is said on stderr, once, and ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tide {

enum class Variable : uint8_t {
#define TIDE_VARIABLE(enumerator, name, values, otherwise, about) enumerator,
#include "runtime/core/environment.def"
#undef TIDE_VARIABLE
};

/// A variable as its row describes it.
struct VariableRow {
  const char *name, *values, *otherwise, *about;
};

/// All of them, in the order of the enumerators.
std::span<const VariableRow> environment_variables();

inline const char* name_of(Variable variable) {
  return environment_variables()[static_cast<size_t>(variable)].name;
}

/// What the variable is set to; null where it is not.
const char* environment_text(Variable variable);

/// Whether the variable is set, and not to "0".
bool environment_flag(Variable variable, bool otherwise = false);

/// A number from `least` to `most`, with K, M or G after it times 1024, 1024^2 or 1024^3;
/// `otherwise` where the variable is not set.
double environment_number(Variable variable, double otherwise, double least, double most);

/// The older processor whose instructions TIDE_CPU asks for, "haswell" or "x86-64"; else empty.
std::string_view environment_cpu();

/// Says that the variable's value is not used, and why.
void ignore_environment(Variable variable, const std::string& why);

}  // namespace tide
