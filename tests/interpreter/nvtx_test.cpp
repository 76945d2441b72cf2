// Ranges are passed to the tool named by NVTX_INJECTION64_PATH.
#include <cstdlib>
#include <string>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;

namespace {

/// While it exists, programs find this tool.
struct ToolPath {
  explicit ToolPath(const std::string& path) { setenv("NVTX_INJECTION64_PATH", path.c_str(), 1); }
  ~ToolPath() { unsetenv("NVTX_INJECTION64_PATH"); }
};

constexpr char kScript[] =
    "local range = tide.profiler.record_function\n"
    "local outer = range 'outer'\n"
    "range('100 %s', function() return 1 end)\n"
    "outer:close() outer:close()";

}  // namespace

TEST_CASE("an NVTX tool receives the script's ranges", "[nvtx]") {
  const ToolPath tool(TIDE_NVTX_TOOL);
  const Outcome outcome = run_tide({"-e", kScript});
  CHECK(outcome.err == "attached\nstart outer\nstart 100 %s\nend 2\nend 1\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("an NVTX tool receives a range for each step, with its line", "[nvtx]") {
  const test::TemporaryFolder folder;
  folder.write("a.lua", "local x = tide.ones(3)\nprint(x:exp():sum():item() > 8)");
  const ToolPath tool(TIDE_NVTX_TOOL);
  const Outcome outcome = run_tide({"run", "a.lua"}, "", folder.path());
  CHECK(outcome.out == "true\n");
  CHECK(outcome.err == "attached\npush sum a.lua:2\npop\n");
}

TEST_CASE("a library that is not an NVTX tool is reported once, and scripts run", "[nvtx]") {
  const std::string script = std::string(kScript) + " print(tide.ones(3):sum():item())";
  const auto run = [&](const std::string& path) {
    const ToolPath tool(path);
    return run_tide({"-e", script});
  };
  const Outcome missing = run("/no/such/tool.so");
  CHECK(missing.out == "3.0\n");
  CHECK_THAT(missing.err,
             StartsWith("tide: NVTX_INJECTION64_PATH: /no/such/tool.so cannot be used: "));
  CHECK(missing.err.find("NVTX_INJECTION64_PATH") == missing.err.rfind("NVTX_INJECTION64_PATH"));
  const Outcome other = run("libm.so.6");
  CHECK(other.out == "3.0\n");
  CHECK_THAT(other.err, ContainsSubstring("libm.so.6 cannot be used: it is not an NVTX 3 tool\n"));
  CHECK(run("").err.empty());
}

TEST_CASE("in the sandbox no tool is loaded", "[nvtx]") {
  const ToolPath tool(TIDE_NVTX_TOOL);
  const Outcome outcome =
      run_tide({"--sandbox", "-e", std::string(kScript) + " print(tide.ones(3):sum():item())"});
  CHECK(outcome.out == "3.0\n");
  CHECK_THAT(outcome.err, !ContainsSubstring("attached"));
}
