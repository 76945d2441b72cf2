// Blocks, threads and occupancy of kernels, in profiles and explanations.
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using tide::test::Environment;

/// The output of a script on the fake driver: 4 multiprocessors with 2048 threads and 228 KB of
/// shared memory each, and 32 registers per thread for any kernel.
std::string run_launches(const std::string& settings, const std::string& script,
                         const std::string& cupti = "") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                    {"TIDE_FAKE_CUDA", settings},
                    {"TIDE_FAKE_CUPTI", cupti}});
  const auto outcome = test::run_tide({"-e", script});
  CHECK(outcome.err == "");
  return outcome.out;
}

/// Prints the launch of a chain over `elements` elements.
std::string profiled(int elements) {
  return "local x = tide.rand(" + std::to_string(elements) +
         ", {device = 'cuda'})\n"
         "tide.synchronize()\n"
         "local p = tide.profile(function() local y = x * 2 + 1 tide.synchronize() end)\n"
         "for _, row in ipairs(p:table {by = 'kernel'}) do\n"
         "  print(row.name, row.blocks, row.threads, row.registers, row.shared_bytes, row.use, "
         "row.occupancy)\n"
         "end\n";
}

}  // namespace

TEST_CASE("a profile shows how kernels are launched", "[cuda][fake]") {
  // Four elements per thread, 256 threads per block.
  for (const char* cupti : {"", "subscribe=39"}) {
    CAPTURE(cupti);
    CHECK(run_launches("", profiled(65536), cupti) == "mul_add\t64\t256\t32\t0\t1.0\t1.0\n");
  }
  // 16 threads' worth of work is one block, for one of four multiprocessors.
  CHECK(run_launches("", profiled(64)) == "mul_add\t1\t64\t32\t0\t0.25\t1.0\n");
  // Three blocks of 256 fit: 768 of 2048 threads.
  CHECK(run_launches("resident_blocks=3", profiled(65536)) ==
        "mul_add\t64\t256\t32\t0\t1.0\t0.375\n");
}

TEST_CASE("the table of kernels has columns for launches on cuda alone", "[cuda][fake]") {
  const auto script = [](const std::string& device) {
    return "local x = tide.rand(65536, {device = '" + device +
           "'})\n"
           "tide.synchronize()\n"
           "local p = tide.profile(function() local y = x * 2 + 1 tide.synchronize() end)\n"
           "local text = tostring(p:table {by = 'kernel'})\n"
           "print(text:find 'launch +use +occupancy' ~= nil, "
           "text:find '64 x 256 +100 %% +38 %%' ~= nil)\n";
  };
  CHECK(run_launches("resident_blocks=3", script("cuda")) == "true\ttrue\n");
  CHECK(run_launches("", script("cpu")) == "false\tfalse\n");
}

TEST_CASE("a saved profile has the launches of its kernels", "[cuda][fake]") {
  CHECK(
      run_launches(
          "resident_blocks=3",
          "local json = require 'tide.internal.json'\n"
          "local x = tide.rand(65536, {device = 'cuda'})\n"
          "tide.synchronize()\n"
          "local p = tide.profile(function() local y = x * 2 + 1 tide.synchronize() end)\n"
          "local path = os.tmpname()\n"
          "p:save(path .. '.json')\n"
          "for _, event in ipairs(json.decode(io.open(path .. '.json'):read 'a').traceEvents) do\n"
          "  local a = event.args\n"
          "  if event.cat == 'loop' then\n"
          "    print(a.blocks, a.threads, a.registers, a.shared_bytes, a.use, a.occupancy)\n"
          "  elseif a and a.blocks then\n"
          "    print('a launch of', event.cat)\n"
          "  end\n"
          "end\n"
          "p:save(path .. '.html')\n"
          "print(io.open(path .. '.html'):read 'a':match '\"launches\": (%b[])')\n"
          "for _, ending in ipairs {'', '.json', '.html'} do os.remove(path .. ending) end\n") ==
      "64\t256\t32\t0\t1.0\t0.375\n"
      "[\"64 x 256 threads, 32 registers, 0 bytes of shared memory; 100 % of the "
      "multiprocessors, occupancy 38 %\"]\n");
}

TEST_CASE("an explanation shows how a loop is launched", "[cuda][fake]") {
  // A row of 8192 floats is staged: 32768 bytes in addition to 2080 of static shared memory.
  CHECK(run_launches(
            "resident_blocks=3",
            "local x = tide.rand(65536, {device = 'cuda'})\n"
            "local function chain() local y = x * 2 + 1 tide.synchronize() end\n"
            "local step = tide.explain(chain)[1]\n"
            "local launch = step:launch()\n"
            "print(step.name, launch.blocks, launch.threads, launch.registers, "
            "launch.shared_bytes, launch.use, launch.occupancy)\n"
            "print(tostring(step):match '\\n  launched as [^\\n]*')\n"
            "local rows = tide.rand(64, 8192, {device = 'cuda'})\n"
            "local softmax = tide.explain(function() return rows:softmax(2):tolist() end)\n"
            "launch = softmax[#softmax]:launch()\n"
            "print(launch.blocks, launch.threads, launch.shared_bytes)\n"
            "local m = tide.ones(4, 4, {device = 'cuda'})\n"
            "local product = tide.explain(function() return m:matmul(m) end)\n"
            "for _, step in ipairs(product) do\n"
            "  if step.kind == 'compute' then print((select(2, pcall(step.launch, step)))) end\n"
            "end\n"
            "print(tide.explain(function() return tide.ones(4) + 1 end)[1]:launch())\n") ==
        "mul add\t64\t256\t32\t0\t1.0\t0.375\n"
        "\n  launched as 64 x 256 threads, 32 registers, 0 B of shared memory: 100 % of the "
        "multiprocessors, occupancy 38 %\n"
        "64\t256\t34848\n"
        "(command line):14: launch: compute 1 (matmul) is not a fused loop, so no code is "
        "generated for it\n"
        "nil\n");
}
