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

  /// Moves on to the next word; false behind the last.
  bool next();

  /// Whether the present word is the flag `name`, such as "--syncs".
  bool flag(const char* name) const { return words_[index_] == name; }

  /// The value of the option `name` if the present word is that option. Throws UsageError when the
  /// value is missing.
  std::optional<std::string> value(const char* name);

  /// As value, for a whole number from `least` to `most`.
  std::optional<long long> number(const char* name, long long least, long long most = LLONG_MAX);

  const std::string& word() const { return words_[index_]; }
  bool is_option() const { return word().size() > 1 && word()[0] == '-'; }

  /// The words before the present one, and those behind it.
  Words before() const { return {words_.begin(), words_.begin() + index_}; }
  Words rest() const { return {words_.begin() + index_ + 1, words_.end()}; }

  /// Says that the present word is no option of the command.
  [[noreturn]] void refuse() const;

 private:
  const Words& words_;
  std::ptrdiff_t index_ = -1;
};

}  // namespace tide
