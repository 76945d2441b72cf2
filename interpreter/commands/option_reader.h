// Reads a subcommand's words: `--name value`, `--name=value` and flags, the rest in order.
#pragma once

#include <climits>
#include <optional>
#include <string>

#include "interpreter/commands/commands.h"

namespace tide {

/// Walks through the words of a command line once, from the first to the last.
class OptionReader {
 public:
  explicit OptionReader(const Words& words) : words_(words) {}
  /// Begins at a word.
  OptionReader(const Words& words, size_t index)
      : words_(words), index_(static_cast<std::ptrdiff_t>(index)) {}

  /// Moves on to the next word; false behind the last.
  bool next();

  /// Whether the present word is the flag `name`, such as "--syncs".
  bool flag(const char* name) const { return words_[index_] == name; }

  /// The value of the option `name` if the present word is that option. Throws UsageError when the
  /// value is missing.
  std::optional<std::string> value(const char* name);

  /// As value, for a whole number from `least` to `most`.
  std::optional<long long> number(const char* name, long long least, long long most = LLONG_MAX);

  /// As value, for a positive number of seconds.
  std::optional<double> seconds(const char* name);

  /// As value, for a positive number of bytes, such as 1000000, 512M or 2G.
  std::optional<size_t> bytes(const char* name);

  const std::string& word() const { return words_[index_]; }
  bool is_option() const { return word().size() > 1 && word()[0] == '-'; }

  /// The words before the present one, and those behind it.
  Words before() const { return {words_.begin(), words_.begin() + index_}; }
  Words rest() const { return {words_.begin() + index_ + 1, words_.end()}; }

  /// The present word's position.
  size_t index() const { return static_cast<size_t>(index_); }

  /// Says that the present word is no option of the command.
  [[noreturn]] void refuse() const;

 private:
  const Words& words_;
  std::ptrdiff_t index_ = -1;
};

}  // namespace tide
