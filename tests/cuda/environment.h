// Environment variables for the programs that a test starts.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tide::test {

/// Sets variables for the programs that are started while it lives.
class Environment {
 public:
  explicit Environment(std::initializer_list<std::pair<const char*, std::string>> variables) {
    for (const auto& [name, value] : variables) {
      const char* before = std::getenv(name);
      before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
      setenv(name, value.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) {
      if (value)
        setenv(name, value->c_str(), 1);
      else
        unsetenv(name);
    }
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

}  // namespace tide::test
