// A CUDA device shared with other programs: memory limits, and visible devices.
#include <filesystem>
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using tide::test::Environment;
using tide::test::run_with;

/// Holds 24 MB, requests 16 MB more, and prints the result; then releases everything and tries
/// again.
const std::string kFill =
    "local kMegabyte <const> = 1 << 18  -- elements\n"
    "local function fill(megabytes)\n"
    "  local x = tide.full({megabytes * kMegabyte}, 2.0, {device = 'cuda'}):cumsum(1)\n"
    "  tide.synchronize()\n"
    "  return x\n"
    "end\n"
    "local held = fill(12)\n"
    "local ok, message = pcall(function() local x = fill(16) return x[1]:item() end)\n"
    "print(ok, message:match 'asked for [^,]*', message:match 'limit [^,;]*')\n"
    "print(tide.cuda.memory_reserved() <= 32 << 20, tide.cuda.memory_stats()[\n"
    "  'allocated_bytes.all.peak'] <= 32 << 20)\n"
    "held = nil\n"
    "collectgarbage()\n"
    "print(fill(12)[3]:item())\n";

}  // namespace

TEST_CASE("a process stays within its fraction of a card", "[cuda][fake]") {
  CHECK(run_with("memory=256M", "tide.cuda.set_per_process_memory_fraction(0.125)\n" + kFill) ==
        "false\tasked for 16.0 MB\tlimit 32.0 MB (cuda.set_per_process_memory_fraction)\n"
        "true\ttrue\n6.0\n");
}

TEST_CASE("a card has a limit from the start", "[cuda][fake]") {
  Environment limit({{"TIDE_CUDA_MEMORY", "32M"}});
  CHECK(run_with("memory=256M", kFill) ==
        "false\tasked for 16.0 MB\tlimit 32.0 MB (TIDE_CUDA_MEMORY)\ntrue\ttrue\n6.0\n");
  // The lower of two limits applies.
  CHECK(run_with("memory=256M", "tide.cuda.set_per_process_memory_fraction(1, 0)\n" + kFill) ==
        "false\tasked for 16.0 MB\tlimit 32.0 MB (TIDE_CUDA_MEMORY)\ntrue\ttrue\n6.0\n");
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  CHECK(test::run_tide({"info"}).out.find(
            "\n  TIDE_CUDA_MEMORY: at most 32.0 MB of each device for tensors\n") !=
        std::string::npos);
  Environment wrong({{"TIDE_CUDA_MEMORY", "half"}});
  const auto outcome =
      test::run_tide({"-e", "print(tide.ones(2, {device = 'cuda'}):sum():item())"});
  CHECK(outcome.out == "2.0\n");
  CHECK(outcome.err.starts_with("tide: TIDE_CUDA_MEMORY=half is ignored: expected a number"));
}

TEST_CASE("lowering a limit releases cached memory", "[cuda][fake]") {
  CHECK(run_with("memory=256M",
                 "local x = tide.full({4 << 20}, 1.0, {device = 'cuda'}):cumsum(1)\n"
                 "tide.synchronize()\n"
                 "x = nil\n"
                 "collectgarbage()\n"
                 "tide.synchronize()\n"
                 "print(tide.cuda.memory_reserved() >= 16 << 20)\n"
                 "tide.cuda.set_per_process_memory_fraction(1 / 32)\n"
                 "print(tide.cuda.memory_reserved() <= 8 << 20)\n") == "true\ntrue\n");
}

TEST_CASE("the fraction of a card is checked", "[cuda][fake]") {
  CHECK(run_with("",
                 "local set = tide.cuda.set_per_process_memory_fraction\n"
                 "for _, fraction in ipairs {0, 1.5, math.huge, 'all'} do\n"
                 "  print((select(2, pcall(set, fraction))))\n"
                 "end\n"
                 "print((select(2, pcall(set, 0.5, 'sim'))))\n") ==
        "(command line):3: cuda.set_per_process_memory_fraction: fraction must be positive, "
        "got 0\n"
        "(command line):3: cuda.set_per_process_memory_fraction: fraction must be between 0 and "
        "1, got 1.5\n"
        "(command line):3: cuda.set_per_process_memory_fraction: fraction must be between 0 and "
        "1, got inf\n"
        "(command line):3: cuda.set_per_process_memory_fraction: argument 1 (fraction): expected "
        "number, got string\n"
        "(command line):5: cuda.set_per_process_memory_fraction: not a CUDA device: sim:0\n");
}

TEST_CASE("an out-of-memory error names the memory available", "[cuda][fake]") {
  const std::string text = run_with(
      "memory=256M",
      "local ok, message = pcall(function() return tide.ones(1 << 28, {device = 'cuda'}):cumsum(1)"
      "[1]:item() end)\n"
      "print(ok, message:match 'out of memory on cuda:0: asked for 1.0 GB', message:match "
      "'free [^;]*')\n");
  CHECK(text.starts_with("false\tout of memory on cuda:0: asked for 1.0 GB\tfree "));
  CHECK(text.ends_with(" MB of 256.0 MB\n"));
}

TEST_CASE("native bfloat16 requires compute capability 8.0", "[cuda][fake]") {
  const std::string script =
      "print(tide.cuda.is_bf16_supported(), tide.cuda.is_bf16_supported(false))\n"
      "print(pcall(tide.cuda.is_bf16_supported, 1))\n";
  const std::string wrong =
      "false\t(command line):2: cuda.is_bf16_supported: argument 1 (including_emulation): expected "
      "boolean, got "
      "number\n";
  CHECK(run_with("capability=90", script) == "true\ttrue\n" + wrong);
  CHECK(run_with("capability=75", script) == "true\tfalse\n" + wrong);
  CHECK(run_with("devices=0", script).starts_with("false\tfalse\n"));
}

TEST_CASE("architectures are those of the plugins", "[cuda][fake]") {
  const test::TemporaryFolder folder;
  for (const char* name : {"tide-cuda.so", "tide-cuda-120.so", "tide-cuda-90.so"})
    folder.write(name, "");
  Environment plugins({{"TIDE_PLUGIN_PATH", folder.path()}});
  // The build's plugins are found as well.
  const std::string list = run_with("", "print(tide.cuda.get_arch_list())");
  const size_t older = list.find("\"sm_90\""), newer = list.find("\"sm_120\"");
  CHECK(older < newer);
  CHECK(newer != std::string::npos);
  CHECK(list.ends_with("\"compute_75\"}\n"));
}

TEST_CASE("a script chooses the devices that it sees", "[cuda][fake]") {
  const std::string script =
      "local cuda = tide.cuda\n"
      "cuda.set_visible_devices {2, 'cuda:0'}\n"
      "print(cuda.device_count(), cuda.get_device_name(0), cuda.get_device_name(1))\n"
      "print(tide.ones(8, {device = 'cuda:1'}):sum():item())\n"
      "print(os.getenv 'CUDA_VISIBLE_DEVICES')\n"
      "print(pcall(cuda.set_visible_devices, {1}))\n";
  CHECK(run_with("devices=3", script) ==
        "2\tFake GPU 2\tFake GPU 0\n8.0\n2,0\n"
        "false\t(command line):6: cuda.set_visible_devices: CUDA is already in use: call it before "
        "anything that uses "
        "CUDA devices, such as cuda.is_available\n");
  CHECK(run_with("devices=3",
                 "tide.cuda.set_visible_devices {}\n"
                 "print(tide.cuda.device_count())\n")
            .starts_with("0\n"));
}

TEST_CASE("a script chooses among the devices that are visible", "[cuda][fake]") {
  Environment visible({{"CUDA_VISIBLE_DEVICES", "2,1"}});
  CHECK(
      run_with("devices=3",
               "print(pcall(tide.cuda.set_visible_devices, {2}))\n"
               "tide.cuda.set_visible_devices {1}\n"
               "print(tide.cuda.device_count(), tide.cuda.get_device_name())\n"
               "print(tide.process(function() return tide.cuda.get_device_name() end):join())\n") ==
      "false\t(command line):1: cuda.set_visible_devices: cuda:2 is not visible: "
      "CUDA_VISIBLE_DEVICES is \"2,1\"\n"
      "1\tFake GPU 1\nFake GPU 1\n");
}

TEST_CASE("the devices that a script chooses are checked", "[cuda][fake]") {
  CHECK(run_with("",
                 "for _, list in ipairs {3, {1, 'cuda:1'}, {'sim'}, {-1}} do\n"
                 "  print((select(2, pcall(tide.cuda.set_visible_devices, list))))\n"
                 "end\n") ==
        "(command line):2: cuda.set_visible_devices: argument 1 (devices): expected table of "
        "devices, got number\n"
        "(command line):2: cuda.set_visible_devices: cuda:1 is listed twice\n"
        "(command line):2: cuda.set_visible_devices: not a CUDA device: sim:0\n"
        "(command line):2: cuda.set_visible_devices: there is no cuda:-1\n");
}
