// The clock of a profile's kernels: CUPTI, or events if it is not available or fails.
#include <filesystem>
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using tide::test::Environment;

/// Functions for the scripts.
const std::string kHelp =
    "local function loaded()\n"
    "  local maps <close> = io.open '/proc/self/maps'\n"
    "  return maps:read 'a':find 'libcupti' ~= nil\n"
    "end\n"
    "local function row(p, name)\n"
    "  for _, row in ipairs(p:table{by = 'kernel'}) do if row.name == name then return row end "
    "end\n"
    "end\n"
    "local x = tide.rand(64, 32, {device = 'cuda'})\n"
    "local function work() return (x:matmul(x:t()) * 2):exp():sum():item() end\n"
    "work()\n";

/// The output of a script on the fake driver; `refusal` makes the fake CUPTI fail.
std::string run(const std::string& script, const std::string& refusal = "",
                const std::string& folder = TIDE_FAKE_DRIVER) {
  Environment fake({{"TIDE_CUDA_PATH", folder}, {"TIDE_FAKE_CUPTI", refusal}});
  const auto outcome = test::run_tide({"-e", kHelp + script});
  CHECK(outcome.err == "");
  return outcome.out;
}

/// Prints the profile's clock, and whether it has times.
const std::string kReport =
    "local p = tide.profile(function() for _ = 1, 3 do work() end end)\n"
    "print(tostring(p):match '\\n  times by ([^\\n]*)')\n"
    "for _, name in ipairs {'matmul', 'mul_exp_sum'} do\n"
    "  local row = row(p, name)\n"
    "  print(row.calls, row.device_ms > 0 and row.device_ms < p:summary().wall_ms)\n"
    "end\n";
const std::string kTimes = "3\ttrue\n3\ttrue\n";

}  // namespace

TEST_CASE("CUPTI times the kernels of a profile", "[cuda][fake]") {
  CHECK(run(kReport) == "CUPTI 13.0.1\n" + kTimes);
}

TEST_CASE("without a profile CUPTI is not opened", "[cuda][fake]") {
  CHECK(run("print(loaded())\n"
            "tide.profile(function() return tide.ones(3):sum():item() end)\n"
            "print(loaded())\n"
            "tide.profile(work)\n"
            "print(loaded())\n") == "false\nfalse\ntrue\n");
}

TEST_CASE("events time kernels if CUPTI fails, and the profile reports why", "[cuda][fake]") {
  CHECK(run(kReport, "subscribe=39") ==
        "CUDA events, as CUPTI 13.0.1 refuses (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED): "
        "another tool profiles this process\n" +
            kTimes);
  CHECK(run(kReport, "enable=35") ==
        "CUDA events, as CUPTI 13.0.1 refuses (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES): the driver "
        "lets only administrators profile (NVreg_RestrictProfilingToAdminUsers)\n" +
            kTimes);
  CHECK(run(kReport, "enable=999") ==
        "CUDA events, as CUPTI 13.0.1 refuses (CUPTI_ERROR_UNKNOWN)\n" + kTimes);
}

TEST_CASE("a device whose clock has drifted from the host's loses no kernel of a profile",
          "[cuda][fake]") {
  for (const char* percent : {"90", "110"}) {
    const Environment drifting({{"TIDE_FAKE_CUDA", std::string("clock_percent=") + percent}});
    const std::string out = run("tide.sleep(1)\n" + kReport, "subscribe=39");
    CHECK(out.ends_with("profiles this process\n" + kTimes));
  }
}

TEST_CASE("events time kernels if CUPTI is incomplete", "[cuda][fake]") {
  // Any other library lacks CUPTI's functions.
  const test::TemporaryFolder folder;
  for (const char* file : {"libcuda.so.1", "libcublasLt.so.13"})
    std::filesystem::create_symlink(std::string(TIDE_FAKE_DRIVER) + "/" + file,
                                    folder.path() + "/" + file);
  std::filesystem::create_symlink(std::string(TIDE_FAKE_DRIVER) + "/libnvidia-ml.so.1",
                                  folder.path() + "/libcupti.so.13");
  CHECK(run(kReport, "", folder.path()) == "CUDA events, as this CUPTI lacks functions\n" + kTimes);
}

TEST_CASE("CUPTI's times belong to their steps, of each stream in order", "[cuda][fake]") {
  // Kernels of each device and stream in order of their begin times; none overlaps the previous
  // one.
  const std::string tracks =
      "cuda:0: matmul to cumsum exp_sum item\n"
      "cuda:0 stream 1: add_sqrt_sum item\n"
      "cuda:1: log_sum item\n";
  CHECK(run("local json = require 'tide.internal.json'\n"
            "local side = tide.Stream 'cuda:0'\n"
            "local path = os.tmpname() .. '.json'\n"
            "local y = tide.ones(300, {device = 'cuda:1'})\n"
            "tide.synchronize()\n"
            "for round = 1, 2 do\n"
            "  local p = tide.profile(function()\n"
            "    local product <const> = x:matmul(x:t())\n"
            "    tide.stream(side, function() return (x + 1):sqrt():sum():item() end)\n"
            "    y:to('cuda:0'):cumsum(1):exp():sum():item()\n"
            "    y:log():sum():item()\n"
            "  end)\n"
            "  p:save(path)\n"
            "  local names, ends, list = {}, {}, {}\n"
            "  for _, event in ipairs(json.decode(io.open(path):read 'a').traceEvents) do\n"
            "    if event.name == 'thread_name' then names[event.tid] = event.args.name end\n"
            "    if ('loop compute copy transfer'):find(event.cat or '?', 1, true) then\n"
            "      local track = names[event.tid]\n"
            "      if event.dur <= 0 then print(event.name, 'has no time') end\n"
            "      if event.ts < (ends[track] or 0) - 1e-3 then print(event.name, 'overlaps') end\n"
            "      ends[track] = event.ts + event.dur\n"
            "      list[track] = (list[track] or track .. ':') .. ' ' .. event.name\n"
            "    end\n"
            "  end\n"
            "  for _, track in ipairs {'cuda:0', 'cuda:0 stream 1', 'cuda:1'} do "
            "print(list[track]) end\n"
            "end\n"
            "os.remove(path)\n") == tracks + tracks);
}

TEST_CASE("CUPTI times more steps than fit into a buffer", "[cuda][fake]") {
  CHECK(run("local path, timed = os.tmpname() .. '.json', 0\n"
            "local y = tide.ones(1, {device = 'cuda'})\n"
            "local p = tide.profile(function()\n"
            "  for _ = 1, 12000 do\n"
            "    y = y * 1.0\n"
            "    tide.flush()\n"
            "  end\n"
            "end)\n"
            "p:save(path)\n"
            "for line in io.lines(path) do\n"
            "  if line:find '\"cat\": \"loop\"' and not line:find '\"dur\": 0.000' then\n"
            "    timed = timed + 1\n"
            "  end\n"
            "end\n"
            "os.remove(path)\n"
            "print(timed)\n") == "12000\n");
}

TEST_CASE("a saved profile names its clock", "[cuda][fake]") {
  const test::TemporaryFolder folder;
  const auto save = [&](const std::string& name, const std::string& refusal) {
    run("tide.profile(work):save '" + folder.path() + "/" + name + "'", refusal);
    return test::read_file(folder.path() + "/" + name);
  };
  const std::string refused = "CUDA events, as CUPTI 13.0.1 refuses";
  CHECK(save("a.json", "").find("\"clock of cuda:0\": \"CUPTI 13.0.1\"") != std::string::npos);
  CHECK(save("b.json", "subscribe=39").find("\"clock of cuda:0\": \"" + refused) !=
        std::string::npos);
  CHECK(save("a.html", "").find("[\"cuda:0: times by CUPTI 13.0.1\"]") != std::string::npos);
  CHECK(save("b.html", "subscribe=39").find("[\"cuda:0: times by " + refused) != std::string::npos);
}
