// Reads environment variables.
#include "runtime/os/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sstream>

namespace tide {
namespace {

constexpr VariableRow kRows[] = {
#define TIDE_VARIABLE(enumerator, name, values, otherwise, about) {name, values, otherwise, about},
#include "runtime/os/environment.def"
#undef TIDE_VARIABLE
};

std::string_view value_of(Variable variable) {
  const char* const value = environment_text(variable);
  return value ? value : "";
}

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

}  // namespace

void ignore_environment(Variable variable, const std::string& why) {
  static std::mutex mutex;
  static std::set<Variable> said;
  const std::lock_guard lock(mutex);
  if (said.insert(variable).second)
    std::fprintf(stderr, "tide: %s=%s is ignored: %s\n", name_of(variable),
                 std::string(value_of(variable)).c_str(), why.c_str());
}

std::span<const VariableRow> environment_variables() { return kRows; }

const char* environment_text(Variable variable) { return std::getenv(name_of(variable)); }

std::vector<std::string> environment_paths(Variable variable) {
  std::vector<std::string> paths;
  std::istringstream list{std::string(value_of(variable))};
  for (std::string path; std::getline(list, path, ':');)
    if (!path.empty()) paths.push_back(path);
  return paths;
}

bool environment_flag(Variable variable, bool otherwise) {
  const std::string_view value = value_of(variable);
  return value.empty() ? otherwise : value != "0";
}

double environment_number(Variable variable, double otherwise, double least, double most) {
  const std::string_view text = value_of(variable);
  if (text.empty()) return otherwise;
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(stop, static_cast<size_t>(end - stop));
  if (unit == "K" || unit == "k") number *= 1 << 10;
  if (unit == "M" || unit == "m") number *= 1 << 20;
  if (unit == "G" || unit == "g") number *= 1 << 30;
  const bool has_unit = unit.size() == 1 && std::string_view("KkMmGg").find(unit) != unit.npos;
  if (error == std::errc() && (unit.empty() || has_unit) && number >= least && number <= most)
    return number;
  ignore_environment(variable, "expected a number from " + text_of(least) + " to " + text_of(most) +
                                   ", such as 4, 0.5 or 256M");
  return otherwise;
}

std::string_view environment_cpu() {
  const std::string_view name = value_of(Variable::cpu);
  if (name.empty() || name == "haswell" || name == "x86-64") return name;
  ignore_environment(Variable::cpu, "expected haswell or x86-64");
  return {};
}

}  // namespace tide
