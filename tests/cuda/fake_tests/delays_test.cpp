// Delays that make the fake driver as slow as a real one.
#include <chrono>
#include <cstdio>

#include "tests/cuda/fake_tests/driver_process.h"
#include "tests/support/catch.h"

namespace fake_tests {
namespace {

/// Seconds that `action` takes.
template <class Action>
double seconds_of(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const std::string kDelayed = module_text("nothing", "");

}  // namespace

TEST_CASE("compiling a module takes as long as set", "[fake]") {
  CHECK(with_driver("jit_ms=50", [](const Table& driver) {
          const double seconds = seconds_of([&] { load(driver, kDelayed, "nothing"); });
          std::puts(seconds >= 0.05 ? "late" : "early");
        }).said == "late\n");
}

TEST_CASE("a launch takes as long as set, and that of a graph no longer", "[fake]") {
  CHECK(with_driver("launch_us=20000", [](const Table& driver) {
          const Function nothing = load(driver, kDelayed, "nothing");
          const CudaStream stream = new_stream(driver);
          const double one = seconds_of([&] { launch(driver, nothing, 1, 1, stream, 0); });
          Graph graph = nullptr;
          driver.graph_create(&graph, 0);
          DevicePointer address = 0;
          void* parameters[] = {&address};
          const KernelNode kernel{nothing, 1, 1, 1, 1, 1, 1, 0, parameters, {}, {}, {}};
          GraphNode nodes[4] = {};
          for (int i = 0; i < 4; ++i)
            driver.graph_add_kernel(&nodes[i], graph, i ? &nodes[i - 1] : nullptr, i > 0, &kernel);
          GraphExec executable = nullptr;
          driver.graph_instantiate(&executable, graph, 0);
          const double four = seconds_of([&] { driver.graph_launch(executable, stream); });
          std::printf("%d %d %d\n", one >= 0.02, four >= 0.02, four < 0.06);
        }).said == "1 1 1\n");
}

}  // namespace fake_tests
