// Handles of other contexts, and of destroyed ones, are rejected.
#include <csignal>
#include <cstdio>

#include "tests/cuda/fake_tests/driver_process.h"
#include "tests/support/catch.h"

namespace fake_tests {
namespace {

const std::string kNothing = module_text("nothing", "");

/// Makes the context of a device current; a new one if it was released.
void use(const Table& driver, int device) {
  Context context = nullptr;
  driver.context_retain(&context, device);
  driver.context_use(context);
}

/// A handle of each kind in the current context.
struct Handles {
  explicit Handles(const Table& driver)
      : stream(new_stream(driver)), function(load(driver, kNothing, "nothing")) {
    driver.event_create(&event, kEventNoTiming);
    driver.graph_create(&graph, 0);
    const KernelNode kernel{function, 1, 1, 1, 1, 1, 1, 0, parameters, {}, {}, {}};
    driver.graph_add_kernel(&node, graph, nullptr, 0, &kernel);
    driver.graph_instantiate(&executable, graph, 0);
  }
  CudaStream stream;
  Function function;
  Event event = nullptr;
  Graph graph = nullptr;
  GraphNode node = nullptr;
  GraphExec executable = nullptr;
  DevicePointer address = 0;
  void* parameters[1] = {&address};
};

/// Calls `misuse` with handles of a destroyed context.
Outcome after_the_context(const std::function<void(const Table&, const Handles&)>& misuse) {
  return with_driver("", [&](const Table& driver) {
    const Handles old(driver);
    driver.context_release(0);
    use(driver, 0);
    misuse(driver, old);
    std::puts("taken");
  });
}

void check_crash(const Outcome& outcome, const std::string& what) {
  INFO(outcome.said);
  CHECK(outcome.signal == SIGABRT);
  CHECK(outcome.said.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("handles of another device's context are refused", "[fake]") {
  CHECK(with_driver("", [](const Table& driver) {
          const Handles first(driver);
          use(driver, 1);
          const Handles second(driver);
          DevicePointer memory = 0;
          driver.allocate(&memory, 64);
          std::printf("%d %d %d %d %d %d %d %d\n",
                      launch(driver, first.function, 1, 1, second.stream, 0),
                      launch(driver, second.function, 1, 1, first.stream, 0),
                      launch(driver, second.function, 1, 1, second.stream, 0),
                      driver.event_record(first.event, second.stream),
                      driver.fill_words(memory, 0, 4, first.stream),
                      driver.graph_launch(first.executable, second.stream),
                      driver.host_function(
                          first.stream, [](void*) {}, nullptr),
                      driver.stream_wait(second.stream, first.event, 0));
        }).said == "400 400 0 400 400 400 400 0\n");
}

TEST_CASE("a handle of a destroyed context ends the process", "[fake]") {
  using Misuse = std::function<void(const Table&, const Handles&)>;
  const std::pair<const char*, Misuse> misuses[] = {
      {"cuStreamSynchronize: the stream belongs to a context that is gone",
       [](const Table& driver, const Handles& old) { driver.stream_synchronize(old.stream); }},
      {"cuLaunchKernel: the function belongs",
       [](const Table& driver, const Handles& old) {
         launch(driver, old.function, 1, 1, new_stream(driver), 0);
       }},
      {"cuEventQuery: the event belongs",
       [](const Table& driver, const Handles& old) { driver.event_query(old.event); }},
      {"cuGraphLaunch: the executable graph belongs",
       [](const Table& driver, const Handles& old) {
         driver.graph_launch(old.executable, new_stream(driver));
       }},
      {"cuGraphDestroy: the graph belongs",
       [](const Table& driver, const Handles& old) { driver.graph_destroy(old.graph); }},
  };
  for (const auto& [what, misuse] : misuses) check_crash(after_the_context(misuse), what);
}

TEST_CASE("a handle that was destroyed, and one of another kind, end the process", "[fake]") {
  check_crash(with_driver("",
                          [](const Table& driver) {
                            Event event = nullptr;
                            driver.event_create(&event, kEventNoTiming);
                            driver.event_destroy(event);
                            driver.event_record(event, new_stream(driver));
                          }),
              "cuEventRecord: the event does not exist (any more)");
  check_crash(with_driver("",
                          [](const Table& driver) {
                            Event event = nullptr;
                            driver.event_create(&event, kEventNoTiming);
                            driver.stream_synchronize(reinterpret_cast<CudaStream>(event));
                          }),
              "cuStreamSynchronize: the stream does not exist");
  check_crash(with_driver("", [](const Table& driver) { driver.stream_synchronize(nullptr); }),
              "the stream is null");
}

}  // namespace fake_tests
