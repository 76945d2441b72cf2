// The environment, read in one place: the variables are rows of environment.def. An invalid value
// is reported on stderr, once, and ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tide {

enum class Variable : uint8_t {
#define TIDE_VARIABLE(enumerator, name, values, otherwise, about) enumerator,
#include "runtime/os/environment.def"
#undef TIDE_VARIABLE
};

/// A variable as its row describes it.
struct VariableRow {
  const char *name, *values, *otherwise, *about;
};

/// In the order of the enumerators.
std::span<const VariableRow> environment_variables();

inline const char* name_of(Variable variable) {
  return environment_variables()[static_cast<size_t>(variable)].name;
}

/// The value of the variable; null if it is not set.
const char* environment_text(Variable variable);

/// The paths in a variable, separated by colons; without empty ones.
std::vector<std::string> environment_paths(Variable variable);

/// Whether the variable is set to anything but "0"; `otherwise` if it is not set or empty.
bool environment_flag(Variable variable, bool otherwise = false);

/// A number from `least` to `most`, optionally with a suffix K, M or G (powers of 1024);
/// `otherwise` if the variable is not set.
double environment_number(Variable variable, double otherwise, double least, double most);

/// The older processor whose instructions TIDE_CPU asks for, "haswell" or "x86-64"; else empty.
std::string_view environment_cpu();

/// Reports on stderr that the variable's value is ignored, and why.
void ignore_environment(Variable variable, const std::string& why);

}  // namespace tide
