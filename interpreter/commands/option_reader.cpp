// Reads a subcommand's words.
#include "interpreter/commands/option_reader.h"

#include <charconv>

namespace tide {

bool OptionReader::next() { return ++index_ < std::ssize(words_); }

std::optional<std::string> OptionReader::value(const char* name) {
  const std::string& word = words_[index_];
  const std::string prefix = std::string(name) + "=";
  if (word.starts_with(prefix)) return word.substr(prefix.size());
  if (word != name) return std::nullopt;
  if (!next()) throw UsageError{std::string(name) + " needs a value"};
  return words_[index_];
}

std::optional<long long> OptionReader::number(const char* name, long long least, long long most) {
  const std::optional<std::string> text = value(name);
  if (!text) return std::nullopt;
  long long number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most) {
    const std::string range = most == LLONG_MAX ? " on" : " to " + std::to_string(most);
    throw UsageError{std::string(name) + " needs a whole number from " + std::to_string(least) +
                     range + ": got '" + *text + "'"};
  }
  return number;
}

void OptionReader::refuse() const { throw UsageError{"unrecognized option '" + word() + "'"}; }

}  // namespace tide
