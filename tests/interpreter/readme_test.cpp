// The README's example.
#include <filesystem>
#include <string>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

TEST_CASE("the README's example runs and learns", "[documents]") {
  const std::string text =
      test::read_file((std::filesystem::path(TIDE_TESTS).parent_path() / "README.md").string());
  const std::string fence = "```lua\n";
  const size_t begin = text.find(fence) + fence.size(), end = text.find("```", begin);
  REQUIRE(end != std::string::npos);
  REQUIRE(text.find(fence, end) == std::string::npos);
  const test::TemporaryFolder folder;
  folder.write("example.lua", text.substr(begin, end - begin));
  const test::Outcome outcome = test::run_tide({"example.lua"}, "", folder.path());
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(std::stod("0" + outcome.out) > 0);
  CHECK(std::stod("0" + outcome.out) < 0.6);  // ln 3, about 1.1, before it learns
}
