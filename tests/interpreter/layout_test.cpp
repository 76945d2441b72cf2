// The tree itself: dependencies point downwards only, and no file grows out of hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(TIDE_TESTS).parent_path();
constexpr int kMaxLines = 600;

/// All files below a folder of the repository that have one of the suffixes.
std::vector<fs::path> files(const std::string& folder, const std::vector<std::string>& suffixes) {
  std::vector<fs::path> found;
  if (!fs::exists(kRoot / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string suffix = entry.path().extension().string();
    if (std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end()) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// Names what the files of a folder include although `forbidden` matches it.
std::string wrong_includes(const std::string& folder, const std::string& forbidden) {
  const std::regex include("#include [\"<](" + forbidden + ").*");
  std::string wrong;
  for (const fs::path& file : files(folder, {".h", ".cpp", ".def"})) {
    std::istringstream lines(test::read_file(file.string()));
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, include)) {
        wrong += file.lexically_relative(kRoot).string() + ": " + line + "\n";
      }
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("each storey includes only what lies below it", "[layout]") {
  CHECK(wrong_includes("runtime", "bindings/|interpreter/|lua|tests/") == "");
  CHECK(wrong_includes("bindings", "interpreter/|tests/") == "");
  CHECK(wrong_includes("interpreter", "runtime/|tests/") == "");
}

TEST_CASE("the runtime's parts keep to their order", "[layout]") {
  CHECK(wrong_includes("runtime/core", "runtime/(?!core/)") == "");
  CHECK(wrong_includes("runtime/io", "runtime/(?!core/|io/)") == "");
  CHECK(wrong_includes("runtime/cpu", "runtime/(tensor|cuda)/") == "");
}

TEST_CASE("no file has more lines than a reader takes in", "[layout]") {
  for (const char* folder : {"runtime", "bindings", "interpreter", "scripts", "tests"}) {
    for (const fs::path& file : files(folder, {".h", ".cpp", ".def", ".lua", ".py", ".cmake"})) {
      const std::string text = test::read_file(file.string());
      CAPTURE(file.string());
      CHECK(std::count(text.begin(), text.end(), '\n') <= kMaxLines);
    }
  }
}
