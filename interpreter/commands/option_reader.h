// Parses a subcommand's arguments: `--name value`, `--name=value`, flags and positional ones.
#pragma once

#include <climits>
#include <optional>
#include <string>

#include "interpreter/commands/commands.h"

namespace tide {

/// Iterates once over the arguments of a command line.
class OptionReader {
 public:
  explicit OptionReader(const Words& words) : words_(words) {}
  /// Starts at argument `index`.
  OptionReader(const Words& words, size_t index)
      : words_(words), index_(static_cast<std::ptrdiff_t>(index)) {}

  /// Advances to the next argument; false after the last one.
  bool next();

  /// Whether the current argument is the flag `name`, such as "--syncs".
  bool flag(const char* name) const { return words_[index_] == name; }

  /// The value of the option `name` if the current argument is that option. Throws UsageError if
  /// the value is missing.
  std::optional<std::string> value(const char* name);

  /// Like value, for an integer from `least` to `most`.
  std::optional<long long> number(const char* name, long long least, long long most = LLONG_MAX);

  /// Like value, for a positive number of seconds.
  std::optional<double> seconds(const char* name);

  /// Like value, for a positive number of bytes, such as 1000000, 512M or 2G.
  std::optional<size_t> bytes(const char* name);

  const std::string& word() const { return words_[index_]; }
  bool is_option() const { return word().size() > 1 && word()[0] == '-'; }

  /// The arguments before and after the current one.
  Words before() const { return {words_.begin(), words_.begin() + index_}; }
  Words remaining() const { return {words_.begin() + index_ + 1, words_.end()}; }

  /// The index of the current argument.
  size_t index() const { return static_cast<size_t>(index_); }

  /// Throws UsageError: the command does not have this option.
  [[noreturn]] void refuse() const;

 private:
  const Words& words_;
  std::ptrdiff_t index_ = -1;
};

}  // namespace tide
