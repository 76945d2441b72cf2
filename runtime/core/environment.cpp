// Reads environment variables.
#include "runtime/core/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace tide {
namespace {

std::string_view value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

}  // namespace

void ignore_environment(const char* name, const std::string& why) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "tide: %s=%s is ignored: %s\n", name, std::string(value_of(name)).c_str(),
                 why.c_str());
}

bool environment_flag(const char* name, bool otherwise) {
  const std::string_view value = value_of(name);
  return value.empty() ? otherwise : value != "0";
}

double environment_number(const char* name, double otherwise, double least, double most) {
  const std::string_view text = value_of(name);
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
  ignore_environment(name, "expected a number from " + text_of(least) + " to " + text_of(most) +
                               ", such as 4, 0.5 or 256M");
  return otherwise;
}

std::string_view environment_cpu() {
  const std::string_view name = value_of("TIDE_CPU");
  if (name.empty() || name == "haswell" || name == "x86-64") return name;
  ignore_environment("TIDE_CPU", "expected haswell or x86-64");
  return {};
}

}  // namespace tide
