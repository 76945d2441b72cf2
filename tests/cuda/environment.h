// Environment variables for the programs that a test starts.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tide::test {

/// Sets variables for the programs that are started while it lives. A test that names the tests'
/// own driver has the tag [fake], by which it is left out on a real GPU; else it fails.
class Environment {
 public:
  explicit Environment(std::initializer_list<std::pair<const char*, std::string>> variables);
  Environment(const Environment&) = delete;
  ~Environment();

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

/// What a script prints that runs on the tests' own driver, with such settings of it and of the
/// cuBLASLt beside it.
std::string run_with(const std::string& settings, const std::string& script,
                     const std::string& blas = "");

}  // namespace tide::test
