// Environment variables for the programs that a test starts.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tide::test {

/// Sets variables for programs started during its lifetime. A test that uses the fake driver must
/// have the tag [fake], which excludes it on a real GPU.
class Environment {
 public:
  explicit Environment(std::initializer_list<std::pair<const char*, std::string>> variables);
  Environment(const Environment&) = delete;
  ~Environment();

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

/// The output of a script on the fake driver, with these settings of it and of the fake cuBLASLt.
std::string run_with(const std::string& settings, const std::string& script,
                     const std::string& blas = "");

}  // namespace tide::test
