// Encodes and decodes the lines of a test process's report.
#include "interpreter/test/test_result.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tide {
namespace {

constexpr std::string_view kEscaped = "\t\n\\";
constexpr std::string_view kLetters = "tn\\";

std::string escape(const std::string& text) {
  std::string field;
  for (char c : text) {
    const size_t index = kEscaped.find(c);
    if (index != std::string_view::npos) field += '\\';
    field += index == std::string_view::npos ? c : kLetters[index];
  }
  return field;
}

std::string unescape(std::string_view field) {
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
    } else {
      const size_t index = kLetters.find(field[++i]);
      text += index == std::string_view::npos ? field[i] : kEscaped[index];
    }
  }
  return text;
}

/// Removes and returns the part of `text` before its first `mark`, which is removed too.
std::string_view take_until(std::string_view& text, char mark) {
  const size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

int FileResult::count(std::string_view status) const {
  return static_cast<int>(std::count_if(
      tests.begin(), tests.end(), [&](const TestResult& test) { return test.status == status; }));
}

std::string encode(const TestResult& result) {
  std::string line = result.status;
  line.append("\t").append(std::to_string(result.seconds));
  line.append("\t").append(escape(result.name));
  line.append("\t").append(escape(result.message)).append("\n");
  return line;
}

std::vector<TestResult> decode(std::string_view report, bool& complete) {
  complete = report.ends_with(kReportEnd);
  if (complete) report.remove_suffix(kReportEnd.size());
  std::vector<TestResult> results;
  while (!report.empty()) {
    std::string_view line = take_until(report, '\n');
    TestResult result;
    result.status = take_until(line, '\t');
    result.seconds = std::atof(std::string(take_until(line, '\t')).c_str());
    result.name = unescape(take_until(line, '\t'));
    result.message = unescape(line);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace tide
