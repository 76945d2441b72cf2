// `tide info` in broken environments: what was found, what is required, and the fix.
#include <algorithm>
#include <filesystem>
#include <regex>

#include "runtime/cuda/driver/library_path.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using tide::test::Environment;

/// The part of `tide info` on CUDA, without the folder of the fake driver; or only the lines on the
/// libraries.
std::string cuda_part(bool libraries = false) {
  const auto outcome = test::run_tide({"info"});
  CHECK(outcome.status == 0);
  const size_t begin = outcome.out.find("cuda: "), end = outcome.out.find("  cuBLASLt: ");
  std::string text = libraries ? outcome.out.substr(std::min(end, outcome.out.size()))
                               : outcome.out.substr(begin, end - begin);
  const std::string folder = std::string(TIDE_FAKE_DRIVER) + "/";
  for (size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

const std::string kNeeded =
    "\n  needed: driver for CUDA 12.1 (530) or newer, a GPU of compute capability 7.5 (Turing) or "
    "newer";
const std::string kNewDriver =
    "\n  what to do: install NVIDIA driver 530 or newer (https://www.nvidia.com/drivers), then run "
    "`tide info`";

std::string story(const std::string& settings) {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", settings}});
  return cuda_part();
}

}  // namespace

TEST_CASE("info reports a driver that works", "[cuda][fake]") {
  CHECK(story("devices=1,capability=90") ==
        "cuda: can be used\n  driver: libcuda.so.1, CUDA 13.0" + kNeeded +
            "\n  cuda:0: Fake GPU 0, 1.0 GB, compute capability 9.0\n");
}

TEST_CASE("info reports a driver that is too old", "[cuda][fake]") {
  CHECK(story("version=11020") ==
        "cuda: cannot be used: the driver is too old: it supports CUDA 11.2, tide needs 12.1 or "
        "newer" +
            kNewDriver + "\n  driver: libcuda.so.1, CUDA 11.2" + kNeeded + "\n");
}

TEST_CASE("info reports entry points that are missing", "[cuda][fake]") {
  CHECK(
      story("missing=cuLaunchKernel") ==
      "cuda: cannot be used: the driver lacks cuLaunchKernel: its files are of different versions" +
          kNewDriver + "\n  driver: libcuda.so.1, CUDA 13.0" + kNeeded + "\n");
}

TEST_CASE("info reports that there is no device", "[cuda][fake]") {
  CHECK(story("devices=0") ==
        "cuda: cannot be used: the driver finds no device\n  what to do: check whether nvidia-smi "
        "lists one; in a "
        "container, pass the GPU through\n  driver: libcuda.so.1, CUDA 13.0" +
            kNeeded + "\n");
}

TEST_CASE("info reports that devices are hidden", "[cuda][fake]") {
  Environment hidden({{"CUDA_VISIBLE_DEVICES", "-1"}});
  CHECK(story("devices=0") ==
        "cuda: cannot be used: the driver shows no device: CUDA_VISIBLE_DEVICES is \"-1\"\n  what "
        "to do: unset "
        "CUDA_VISIBLE_DEVICES, or list existing devices in it\n  driver: libcuda.so.1, CUDA 13.0" +
            kNeeded + "\n  CUDA_VISIBLE_DEVICES: \"-1\"\n");
}

TEST_CASE("info reports a driver that cannot start", "[cuda][fake]") {
  CHECK(story("init_error=719") ==
        "cuda: cannot be used: the driver cannot start: unspecified launch failure (719)\n  what "
        "to do: see the system log (dmesg); "
        "if the driver was updated while in use, restart the machine\n  "
        "driver: libcuda.so.1, "
        "CUDA 13.0" +
            kNeeded + "\n");
}

TEST_CASE("info reports a card that is too old", "[cuda][fake]") {
  CHECK(story("devices=1,old_device=0") ==
        "cuda: cannot be used: no device can be used: Fake GPU 0: its compute capability 6.1 is "
        "below 7.5, the oldest "
        "that tide supports\n  what to do: use a card of compute capability 7.5 or newer\n  "
        "driver: libcuda.so.1, "
        "CUDA 13.0" +
            kNeeded +
            "\n  cuda:0: Fake GPU 0, 1.0 GB, compute capability 6.1; not used: its compute "
            "capability 6.1 is below 7.5, "
            "the oldest that tide supports\n");
}

TEST_CASE("info reports cards that no process may use", "[cuda][fake]") {
  CHECK(story("devices=1,compute_mode=2") ==
        "cuda: cannot be used: no device can be used: Fake GPU 0: its compute mode is prohibited "
        "(nvidia-smi -c 0)\n  what to do: ask an administrator to allow it: nvidia-smi -c 0\n  "
        "driver: libcuda.so.1, CUDA 13.0" +
            kNeeded +
            "\n  cuda:0: Fake GPU 0, 1.0 GB, compute capability 9.0; not used: its compute mode is "
            "prohibited (nvidia-smi -c 0)\n");
}

TEST_CASE("a card in exclusive use by another process is named, and others work", "[cuda][fake]") {
  Environment fake(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "compute_mode=3,busy_device=0"}});
  const auto outcome = test::run_tide(
      {"-e",
       "local function sum(device) return tide.ones(8, {device = device}):sum():item() end\n"
       "print(pcall(sum, 'cuda'))\n"
       "print(sum('cuda:1'), sum('cpu'))"});
  CHECK(outcome.out ==
        "false\t(command line):1: cuda:0 (Fake GPU 0) is in exclusive use by another process: see "
        "nvidia-smi (compute mode EXCLUSIVE_PROCESS)\n8.0\t8.0\n");
  CHECK(outcome.err == "");
}

TEST_CASE("a slice of a card is a card", "[cuda][fake]") {
  const char* const settings = "devices=1,mig=1,memory=256M";
  CHECK(story(settings) ==
        "cuda: can be used\n  driver: libcuda.so.1, CUDA 13.0" + kNeeded +
            "\n  cuda:0: Fake GPU 0 MIG 1g.1gb, 0.2 GB, compute capability 9.0\n");
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", settings}});
  const auto outcome = test::run_tide(
      {"-e", "print(tide.cuda.get_device_name(), tide.ones(8, {device = 'cuda'}):sum():item())"});
  CHECK(outcome.out == "Fake GPU 0 MIG 1g.1gb\t8.0\n");
}

TEST_CASE("devices may be chosen by what identifies them", "[cuda][fake]") {
  const std::string card = "GPU-8a1c3f5e-0000-1111-2222-333344445555";
  Environment chosen({{"CUDA_VISIBLE_DEVICES", card}});
  CHECK(story("devices=1") == "cuda: can be used\n  driver: libcuda.so.1, CUDA 13.0" + kNeeded +
                                  "\n  CUDA_VISIBLE_DEVICES: \"" + card +
                                  "\"\n  cuda:0: Fake GPU 0, 1.0 GB, compute capability 9.0\n");
  // The driver shows no device if the card does not exist.
  CHECK(story("devices=0")
            .starts_with(
                "cuda: cannot be used: the driver shows no device: CUDA_VISIBLE_DEVICES is \"" +
                card +
                "\"\n  what to do: unset CUDA_VISIBLE_DEVICES, or list existing devices in it\n"));
}

TEST_CASE("info reports the libraries that were found", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  const std::string text = cuda_part(true);
  CHECK(text.starts_with("  cuBLASLt: libcublasLt.so.13\n  cuDNN: libcudnn.so.9, version 9.1.0\n"));
  CHECK(text.find("  CUPTI: libcupti.so.13, version 13.0.1\n") != std::string::npos);
  CHECK(text.find("  NVML: libnvidia-ml.so.1\n") != std::string::npos);
  const bool found = text.find("libnccl.so.2, version 2.") != std::string::npos;
  const bool missing =
      text.find(
          "  NCCL: not found (not used yet); install it: pip "
          "install nvidia-nccl-cu13; if it is installed, add its folder to TIDE_CUDA_PATH\n") !=
      std::string::npos;
  CHECK(found != missing);
}

TEST_CASE("a driver of CUDA 12 uses libraries for CUDA 12", "[cuda][fake]") {
  const std::string with = std::string(TIDE_FAKE_DRIVER) + "/";
  const test::TemporaryFolder folder;
  const auto link = [&](const char* file, const char* name) {
    std::filesystem::create_symlink(with + file, folder.path() + "/" + name);
  };
  Environment old({{"TIDE_CUDA_PATH", folder.path()}, {"TIDE_FAKE_CUDA", "version=12010"}});
  link("libcuda.so.1", "libcuda.so.1");
  link("libcublasLt.so.13", "libcublasLt.so.13");
  const auto line = [](const std::string& text, const std::string& library) {
    const size_t begin = text.find("  " + library + ": ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(line(cuda_part(true), "cuBLASLt")
            .find("needs a newer driver than CUDA 12's (matrix products are slow); install "
                  "one for this driver: pip install nvidia-cublas-cu12, or CUDA toolkit 12") !=
        std::string::npos);
  link("libcublasLt.so.13", "libcublasLt.so.12");
  link("libcudnn.so.9", "libcudnn.so.9");
  const std::string text = cuda_part(true);
  CHECK(line(text, "cuBLASLt") == "  cuBLASLt: " + folder.path() + "/libcublasLt.so.12");
  CHECK(line(text, "cuDNN") == "  cuDNN: " + folder.path() + "/libcudnn.so.9, version 9.1.0");
  {
    Environment newer({{"TIDE_FAKE_DNN", "cuda=13"}});
    CHECK(line(cuda_part(true), "cuDNN").find("needs a newer driver than CUDA 12's") !=
          std::string::npos);
  }
  const auto outcome = test::run_tide({"-e",
                                       "local x = tide.ones({64, 64}, {device = 'cuda'}) "
                                       "print((x:matmul(x) + 1):cumsum(1):sum():item())"});
  CHECK(outcome.out == "8652800.0\n");
}

TEST_CASE("libraries are found beside the python3 on the PATH", "[cuda][fake]") {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const fs::path environment = folder.path() + "/env", base = folder.path() + "/base";
  for (const fs::path& prefix : {environment, base}) fs::create_directories(prefix / "bin");
  folder.write("base/bin/python3", "#!/bin/sh\n");
  fs::permissions(base / "bin/python3", fs::perms::owner_all);
  fs::create_symlink(base / "bin/python3", environment / "bin/python3");
  // File names that do not occur in toolkits.
  const auto add_wheel = [](const fs::path& prefix, const char* file) {
    const fs::path place = prefix / "lib/python3.11/site-packages/nvidia/cublas/lib";
    fs::create_directories(place);
    fs::create_symlink(fs::path(TIDE_FAKE_DRIVER) / "libcublasLt.so.13", place / file);
  };
  add_wheel(environment, "libtide-of-environment.so");
  add_wheel(base, "libtide-of-base.so");
  const auto finds = [](const char* file) {
    return tide::cuda::open_library({file}, [](void*) { return true; }) != nullptr;
  };
  CHECK_FALSE(finds("libtide-of-environment.so"));
  Environment path({{"PATH", folder.path() + ":" + (environment / "bin").string() + ":/usr/bin"}});
  CHECK(finds("libtide-of-environment.so"));
  CHECK(finds("libtide-of-base.so"));
  CHECK_FALSE(finds("libtide-of-nothing.so"));
}

TEST_CASE("info reports a library that is too old", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_DNN", "version=8907"}});
  CHECK(cuda_part(true).find(
            "  cuDNN: libcudnn.so.9, version 8.9.7, too old: version 9 is required\n") !=
        std::string::npos);
}

TEST_CASE("info reports a library that does not start", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_DNN", "fail=create"}});
  CHECK(cuda_part(true).find("  cuDNN: libcudnn.so.9, version 9.1.0, does not start: status 1001 "
                             "(convolutions and attention are slow)\n") != std::string::npos);
}

TEST_CASE("an old card beside a good one is left out by name", "[cuda][fake]") {
  const std::string text = story("devices=2,old_device=1");
  CHECK(text.starts_with("cuda: can be used\n"));
  CHECK(text.find("cuda:1: Fake GPU 1, 1.0 GB, compute capability 6.1; not used") !=
        std::string::npos);
}

TEST_CASE("info reports a file that is not a library", "[cuda][fake]") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("libcuda.so.1", "no library");
  Environment broken({{"TIDE_CUDA_PATH", folder.path()}});
  const std::string text = cuda_part();
  CHECK(text.starts_with("cuda: cannot be used: the driver's library cannot be loaded: " + file));
  CHECK(text.find("\n  driver: not found; searched " + file) != std::string::npos);
}

TEST_CASE("info reports a library that is not a driver", "[cuda][fake]") {
  Environment other({{"TIDE_CUDA_PATH", "libm.so.6"}});
  CHECK(cuda_part().starts_with(
      "cuda: cannot be used: libm.so.6 is not a CUDA driver: it has no cuDriverGetVersion"));
}

TEST_CASE("a broken driver warns once, and the script goes on", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "version=11020"}});
  const auto outcome = test::run_tide({"-e",
                                       "print(tide.cuda.is_available(), tide.cuda.is_available(), "
                                       "tide.cuda.device_count(), tide.ones(2):sum():item())"});
  CHECK(outcome.out == "false\tfalse\t0\t2.0\n");
  CHECK(outcome.err ==
        "tide: CUDA cannot be used: the driver is too old: it supports CUDA 11.2, tide needs 12.1 "
        "or newer.\n"
        "      What to do: install NVIDIA driver 530 or newer (https://www.nvidia.com/drivers), "
        "then run `tide info`.\n");
}

TEST_CASE("CUDA is not opened before its first use", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_LOG", "1"}});
  const auto without = test::run_tide({"-e", "print(tide.ones(2, {device = 'sim'}):sum():item())"});
  CHECK(without.err == "");
  // Enough garbage to make the collector check the memory in use.
  const auto busy = test::run_tide(
      {"-e",
       "for _ = 1, 100 do local x = tide.ones(1 << 18) + 1 end tide.synchronize() print('done')"});
  CHECK(busy.out == "done\n");
  CHECK(busy.err == "");
  const auto with = test::run_tide({"-e", "print(tide.cuda.is_available())"});
  CHECK(with.out == "true\n");
  CHECK(with.err.find("cuda:1 is Fake GPU 1, visible\n") != std::string::npos);
}

TEST_CASE("a wrong ordinal lists what there is", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  const auto outcome = test::run_tide({"-e", "tide.ones(2, {device = 'cuda:7'})"});
  CHECK(outcome.err.find("there is no cuda:7 here; there are cpu, sim:0, sim:1, cuda:0, cuda:1") !=
        std::string::npos);
  const auto waits = test::run_tide({"-e",
                                     "print(pcall(tide.cuda.synchronize, 1)) "
                                     "print(pcall(tide.cuda.synchronize, 7))"});
  CHECK(waits.out.starts_with("true\nfalse\t"));
  CHECK(waits.out.find("cuda.synchronize: there is no cuda:7 here") != std::string::npos);
}

TEST_CASE("a device out of memory reports it, and a smaller allocation works", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "memory=16M"}});
  const auto outcome =
      test::run_tide({"-e",
                      "local ok, message = pcall(function() local x = tide.ones(8 << 20, {device = "
                      "'cuda'}) tide.synchronize() end)\n"
                      "print(ok, (message:match('out of memory on cuda:0: asked for 32.0 MB')))\n"
                      "print(tide.ones(8, {device = 'cuda'}):sum():item())"});
  CHECK(outcome.out == "false\tout of memory on cuda:0: asked for 32.0 MB\n8.0\n");
}

TEST_CASE("a lost device is an error, and other devices keep working", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "lose_after=2"}});
  const auto outcome = test::run_tide(
      {"-e",
       "local function sum(device) return tide.ones(8, {device = device}):sum():item() end\n"
       "local message repeat local ok, text = pcall(sum, 'cuda:0') message = not ok and text until "
       "message\n"
       "print((message:match('unspecified launch failure.*other devices keep working')))\n"
       "print(sum('cuda:1'), sum('cpu'))"});
  CHECK(outcome.out ==
        "unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED): the device and its memory "
        "are lost: restart the process to use it; other devices keep working\n8.0\t8.0\n");
}

TEST_CASE("smi shows what the management library reports", "[cuda][fake]") {
  Environment fake(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_SIM_DEVICES", "0"}, {"TIDE_NUM_THREADS", "1"}});
  const auto outcome = test::run_tide({"smi"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("tide smi    driver 580.65.06    CUDA 13.0\n"));
  CHECK(outcome.out.find("| gpu 0    Fake GPU 0                     |  41 C    -   P0   123 / 700 "
                         "W |         256 / 1024 MB |   87% |\n") != std::string::npos);
  CHECK(outcome.out.find("\n| cpu ") != std::string::npos);
  CHECK(outcome.out.find("  gpu 0  process 4711  200 MB\n") != std::string::npos);
}

TEST_CASE("figures of a device are those that the management library reports", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  const auto outcome =
      test::run_tide({"-e",
                      "local cuda = tide.cuda print(cuda.utilization(), cuda.temperature(1), "
                      "cuda.power_draw('cuda:0'), pcall(cuda.temperature, 9))"});
  CHECK(outcome.out.starts_with("87\t41\t123400\tfalse\t"));
  CHECK(outcome.out.find("cuda.temperature: there is no cuda:9 here") != std::string::npos);
}

TEST_CASE("properties of a device are those that the driver reports", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  const auto outcome = test::run_tide(
      {"-e",
       "local p = tide.cuda.get_device_properties(1) print(p.name, p.major, p.minor, "
       "p.multi_processor_count, p.warp_size, p.max_threads_per_multi_processor, p.clock_rate) "
       "print(p.memory_clock_rate, p.memory_bus_width, p.L2_cache_size, p.pci_bus_id, "
       "p.pci_device_id, p.ecc, p.is_integrated) "
       // Two operations, or two transfers, per unit and clock: 4 multiprocessors of 1 GHz with 128
       // and 64 units; 64 bits of memory at 1 GHz.
       "print(p.peak_float == 2 * 4 * 128 * 1e9, p.peak_double == 2 * 4 * 64 * 1e9, "
       "p.peak_bandwidth == 2 * 1e9 * 64 / 8)"});
  CHECK(outcome.out ==
        "Fake GPU 1\t9\t0\t4\t32\t2048\t1000000\n"
        "1000000\t64\t1048576\t66\t3\ttrue\tfalse\ntrue\ttrue\ttrue\n");
}

TEST_CASE("smi's monitor prints a line a time", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_SIM_DEVICES", "0"}});
  const auto outcome = test::run_tide({"smi", "dmon", "1"});
  // The figures of the cpu include all programs.
  const std::regex lines(
      "# gpu  pwr W temp C   sm %  mem % mclk MHz pclk MHz    used MB   queue\n"
      "    0    123     41     87     12     2619     1980        256       0\n"
      "  cpu      -      - [ 0-9]{6}      -        -        - [ 0-9]{10} [ 0-9]{7}\n");
  CHECK(std::regex_match(outcome.out, lines));
}

TEST_CASE("smi without CUDA shows the cpu and the simulated devices", "[cuda][fake]") {
  Environment none({{"TIDE_CUDA_PATH", "/nonexistent"}, {"TIDE_SIM_DEVICES", "1"}});
  const auto outcome = test::run_tide({"smi"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\n| sim:0    simulated accelerator ") != std::string::npos);
}
