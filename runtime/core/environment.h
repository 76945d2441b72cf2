// Environment variables that choose how tide runs. A value that cannot be used is said on stderr,
// once, and ignored.
#pragma once

#include <string>
#include <string_view>

namespace tide {

/// Whether the variable is set, and not to "0".
bool environment_flag(const char* name, bool otherwise = false);

/// A number from `least` to `most`, with K, M or G after it times 1024, 1024^2 or 1024^3;
/// `otherwise` where the variable is not set.
double environment_number(const char* name, double otherwise, double least, double most);

/// The older processor whose instructions TIDE_CPU asks for, "haswell" or "x86-64"; else empty.
std::string_view environment_cpu();

/// Says that the variable's value is not used, and why.
void ignore_environment(const char* name, const std::string& why);

}  // namespace tide
