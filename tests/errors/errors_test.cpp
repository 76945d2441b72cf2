// Runs each tests/errors/*/*.lua, which must fail with what its lines "--> ..." say: they are the
// beginning of standard error, line by line, and the exit status is 1.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

namespace fs = std::filesystem;

constexpr char kExpected[] = "--> ";

std::string expected_text(const fs::path& script) {
  std::istringstream lines(test::read_file(script.string()));
  std::string expected;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kExpected)) expected += line.substr(sizeof kExpected - 1) + "\n";
  }
  return expected;
}

}  // namespace

TEST_CASE("scripts that must fail say why", "[errors]") {
  std::vector<fs::path> scripts;
  for (const auto& entry : fs::recursive_directory_iterator(TIDE_TESTS "/errors")) {
    if (entry.path().extension() == ".lua") scripts.push_back(entry.path());
  }
  std::sort(scripts.begin(), scripts.end());
  REQUIRE(!scripts.empty());
  for (const fs::path& script : scripts) {
    CAPTURE(script.string());
    const std::string expected = expected_text(script);
    const test::Outcome outcome =
        test::run_tide({script.filename().string()}, "", script.parent_path().string());
    CHECK(!expected.empty());
    CHECK(outcome.err.substr(0, expected.size()) == expected);
    CHECK(outcome.status == 1);
  }
}
