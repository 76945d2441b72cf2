// --time-limit and --memory-limit: how scripts that exceed them are stopped.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;
using test::TemporaryFolder;

namespace {

Outcome run(const std::string& script, std::vector<std::string> options) {
  const TemporaryFolder folder;
  folder.write("main.lua", script);
  options.insert(options.begin(), "run");
  options.push_back("main.lua");
  return run_tide(options, "", folder.path());
}

Outcome run_briefly(const std::string& script) { return run(script, {"--time-limit", "0.5"}); }

}  // namespace

TEST_CASE("a script is stopped at its time limit, by an error with its line", "[limits]") {
  for (const char* script :
       {"\nwhile true do end", "\ncoroutine.wrap(function() while true do end end)()",
        "\ntide.sleep(60) print 'unreached'",
        "\nlocal co = coroutine.wrap(function() pcall(function() while "
        "true do end end) end) while true do co() co = coroutine.wrap(function() end) end",
        "\nlocal x = tide.ones(8) while true do x = x + 1 end",
        "\nlocal x = tide.rand(700, 700) for _ = 1, 100000 do x = x:matmul(x) end "
        "print(x:sum():item())"}) {
    CAPTURE(script);
    const Outcome outcome = run_briefly(script);
    CHECK_THAT(outcome.err,
               StartsWith("tide: main.lua:2: ") && EndsWith("time limit of 0.5 s reached\n"));
    CHECK(outcome.out.empty());
    CHECK(outcome.status == 124);
  }
}

TEST_CASE("pcall does not prolong a script past its time limit", "[limits]") {
  const Outcome loop = run_briefly("while true do pcall(function() while true do end end) end");
  CHECK_THAT(loop.err, ContainsSubstring("time limit of 0.5 s reached"));
  CHECK(loop.status == 124);
  const Outcome caught = run_briefly("print(pcall(function() while true do end end)) os.exit(0)");
  CHECK(caught.out == "false\tmain.lua:1: time limit of 0.5 s reached\n");
  CHECK(caught.status == 124);
}

TEST_CASE("if Lua cannot be stopped, the process ends", "[limits]") {
  for (const char* script : {"string.rep('a', 60):find(('a*'):rep(60) .. 'b')",
                             "setmetatable({}, {__gc = function() while true do end end})"}) {
    CAPTURE(script);
    const Outcome outcome = run_briefly(script);
    CHECK_THAT(outcome.err,
               ContainsSubstring("tide: time limit of 0.5 s reached; the script did not stop"));
    CHECK(outcome.status == 124);
  }
}

TEST_CASE("a full pipe does not prolong a script past its time limit", "[limits]") {
  const TemporaryFolder folder;
  folder.write("main.lua",
               "for i = 1, 65536 do io.stderr:write('x') end string.find(('a'):rep(60), "
               "('a*'):rep(60) .. 'b')");
  const std::string status = folder.write("status", "");
  // A pipe that this shell keeps open and does not read.
  const std::string command = "cd " + folder.path() + " && mkfifo pipe && exec 3<>pipe && '" +
                              TIDE_PROGRAM +
                              "' run --time-limit 0.5 main.lua 2>pipe; echo $? >status";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(test::read_file(status) == "124\n");
}

TEST_CASE("a script that keeps creating files leaves none after its time limit", "[limits]") {
  const Outcome outcome = run_briefly(R"lua(
    print(tide.scratch())
    local count = 0
    while true do
      pcall(function()
        while true do
          count = count + 1
          io.open(tide.scratch() .. "/" .. count % 5000, "w"):close()
        end
      end)
    end
  )lua");
  CHECK(outcome.status == 124);
  REQUIRE_THAT(outcome.out, ContainsSubstring("tide-scratch"));
  CHECK(!std::filesystem::exists(outcome.out.substr(0, outcome.out.find('\n'))));
}

TEST_CASE("a script within its limits is not affected", "[limits]") {
  const Outcome outcome =
      run("print(tide.ones(2):sum():item())", {"--time-limit", "600", "--memory-limit", "2G"});
  CHECK(outcome.out == "2.0\n");
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
}

TEST_CASE("exceeding the memory limit is an error, and the script continues", "[limits]") {
  const Outcome outcome = run(R"(
    local function fill() local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end end
    print(pcall(fill))
    print(pcall(string.rep, "x", 2 ^ 30))
    local done, message = pcall(function()
      local kept = {}
      for i = 1, 100 do kept[i] = tide.rand(1024, 1024); kept[i][1] = 1 end
    end)
    print(done, message)
    print(tide.ones(1024):sum():item(), #("x"):rep(2 ^ 20))
  )",
                              {"--memory-limit", "100M"});
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out,
             StartsWith("false\tnot enough memory\nfalse\tnot enough memory\nfalse\t") &&
                 ContainsSubstring("main.lua:7: ") &&
                 ContainsSubstring("memory limit 100.0 MB, taken ") &&
                 ContainsSubstring("\n1024.0\t1048576\n"));
  CHECK(outcome.status == 0);
}

TEST_CASE("tensors, their caches and Lua share the memory limit", "[limits]") {
  // A freed tensor's block stays cached until Lua needs the memory, and vice versa.
  const Outcome outcome = run(R"(
    for i = 1, 4 do
      local device = i % 2 == 0 and "sim" or "cpu"
      do local x = tide.rand(15, 1024, 1024, {device = device}); x[1] = 2; x:sum():item() end
      collectgarbage()
      local text = ("x"):rep(40 * 2 ^ 20)
      print(#text)
      text = nil
    end
    local text = ("x"):rep(40 * 2 ^ 20)
    print(pcall(function() local x = tide.rand(15, 1024, 1024) x[1] = 2 x:sum():item() end))
    print(#text)
  )",
                              {"--memory-limit", "100M"});
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, StartsWith("41943040\n41943040\n41943040\n41943040\nfalse\t") &&
                              ContainsSubstring("memory limit 100.0 MB, taken 40.") &&
                              EndsWith("41943040\n"));
}

TEST_CASE("memory of small objects is limited too", "[limits]") {
  const Outcome outcome = run(R"lua(
    local function peak()  -- of the process, in megabytes
      for line in io.lines "/proc/self/status" do
        local size = line:match "VmHWM:%s*(%d+)"
        if size then return size // 1024 end
      end
    end
    local x = tide.ones(4):requires_grad_(true)
    local function graph() local y = x for _ = 1, 2000000 do y = y * 1.0001 end end
    local function results() local kept = {} for i = 1, 2000000 do kept[i] = x:detach() + 1 end end
    local function hooks() local y = x * 1 for _ = 1, 9000000 do y:register_hook(print) end end
    local function copies() local kept = {} for i = 1, 99 do kept[i] = tide.to_dlpack(tide.ones(2^20)) end end
    for _, fill in ipairs {graph, results, hooks, copies} do
      local done, message = pcall(fill)
      print(done, message:match "memory limit 100.0 MB" or message:match "not enough memory" or message)
    end
    print((x * 2):sum():item(), peak() < 300 or peak())
  )lua",
                              {"--memory-limit", "100M"});
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "false\tmemory limit 100.0 MB\nfalse\tmemory limit 100.0 MB\n"
        "false\tmemory limit 100.0 MB\nfalse\tmemory limit 100.0 MB\n8.0\ttrue\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("a file that is too large is rejected before it is read", "[limits]") {
  const Outcome outcome = run(R"lua(
    local path = tide.scratch() .. "/large"
    local file <close> = io.open(path, "w")
    file:seek("set", 2^31)
    file:write "x"
    file:flush()
    for _, read in ipairs {tide.vision.read_file, tide.vision.read_image, tide.onnx.load} do
      local done, message = pcall(read, path)
      print(done, message:match "asked for 2.0 GB, memory limit 100.0 MB" or message)
    end
    local picture = tide.zeros({3, 5000, 5000}, {dtype = "uint8"})
    local done, message = pcall(tide.vision.encode_png, picture)
    print(done, message:match "memory limit 100.0 MB" or message)
  )lua",
                              {"--memory-limit", "100M"});
  const std::string refused = "false\tasked for 2.0 GB, memory limit 100.0 MB\n";
  CHECK(outcome.out == refused + refused + refused + "false\tmemory limit 100.0 MB\n");
}

TEST_CASE("garbage is released before a file is rejected", "[limits]") {
  const Outcome outcome = run(R"lua(
    local x = tide.ones({40, 2^20}, {dtype = "uint8"}); x[{1, 1}]:item()
    local y = x:clone(); y[{1, 1}]:item()
    y = nil
    tide.save(x, tide.scratch() .. "/kept")
    print(io.open(tide.scratch() .. "/kept"):seek("end") > 40 * 2^20)
  )lua",
                              {"--memory-limit", "130M"});
  CHECK(outcome.err.empty());
  CHECK(outcome.out == "true\n");
}

TEST_CASE("a script that runs out of memory ends like any other error", "[limits]") {
  const Outcome outcome =
      run("local t = {} for i = 1, 1e9 do t[i] = {i} end", {"--memory-limit", "64M"});
  CHECK_THAT(outcome.err, StartsWith("tide: not enough memory, memory limit 64.0 MB, taken "));
  CHECK(outcome.status == 1);
  CHECK(run("print(('x'):rep(1000))", {"--memory-limit", "1"}).status == 1);
  CHECK(run("print(('x'):rep(1000))", {"--memory-limit", "1", "--sandbox"}).status == 1);
}

TEST_CASE("a script does not run if memory is too short to set up the sandbox", "[limits]") {
  int refused = 0, closed = 0;
  for (int kilobytes = 60; kilobytes <= 400; kilobytes += 20) {
    CAPTURE(kilobytes);
    const Outcome outcome = run("print(debug.sethook)",
                                {"--sandbox", "--memory-limit", std::to_string(kilobytes) + "K"});
    const bool has_run = outcome.status == 0;
    ++(has_run ? closed : refused);
    CHECK(outcome.out == (has_run ? "nil\n" : ""));
    if (!has_run) CHECK_THAT(outcome.err, StartsWith("tide: not enough memory"));
  }
  CHECK(refused > 0);
  CHECK(closed > 0);
}

TEST_CASE("invalid limits are rejected", "[limits]") {
  for (const char* value : {"", "0", "-1", "1x", "1M5", "G", "1e30", "99999999999999999999G"}) {
    CAPTURE(value);
    CHECK_THAT(run("", {"--memory-limit", value}).err,
               StartsWith("tide: --memory-limit needs a number of bytes above 0"));
  }
  for (const char* value : {"", "0", "-1", "1s", "nan", "inf", "1e30"}) {
    CAPTURE(value);
    CHECK_THAT(run("", {"--time-limit", value}).err,
               StartsWith("tide: --time-limit needs a number of seconds above 0"));
  }
}
