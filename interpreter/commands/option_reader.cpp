// Parses a subcommand's arguments.
#include "interpreter/commands/option_reader.h"

#include <charconv>
#include <cstdint>
#include <string_view>

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
    const std::string range = most == LLONG_MAX ? " up" : " to " + std::to_string(most);
    throw UsageError{std::string(name) + " needs an integer from " + std::to_string(least) + range +
                     ", got '" + *text + "'"};
  }
  return number;
}

std::optional<double> OptionReader::seconds(const char* name) {
  constexpr double kMost = 1e9;
  const std::optional<std::string> text = value(name);
  if (!text) return std::nullopt;
  double number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end || !(number > 0 && number <= kMost))
    throw UsageError{std::string(name) + " needs a number of seconds above 0, got '" + *text + "'"};
  return number;
}

std::optional<size_t> OptionReader::bytes(const char* name) {
  const std::optional<std::string> text = value(name);
  if (!text) return std::nullopt;
  size_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  const std::string_view unit(stop, static_cast<size_t>(end - stop));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || number == 0 || number > SIZE_MAX >> shift)
    throw UsageError{std::string(name) + " needs a number of bytes above 0, such as 512M or 2G: " +
                     "got '" + *text + "'"};
  return number << shift;
}

void OptionReader::refuse() const { throw UsageError{"unrecognized option '" + word() + "'"}; }

}  // namespace tide
