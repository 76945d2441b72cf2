// What a real driver rejects, delays or omits.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/cuda/fake_tests/driver_process.h"
#include "tests/support/catch.h"

namespace fake_tests {
namespace {

const std::string kRefused = module_text("nothing", "");
const std::string kTrap = module_text("stumble", "trap;");

const Table* the_driver = nullptr;

}  // namespace

TEST_CASE("a launch with more threads per block than the kernel allows is rejected", "[fake]") {
  const auto reported = [](const std::string& settings, const std::string& directives) {
    return with_driver(settings,
                       [&](const Table& driver) {
                         const Function nothing =
                             load(driver, module_text("nothing", "", 0, directives), "nothing");
                         const CudaStream stream = new_stream(driver);
                         int grid = 0, block = 0;
                         driver.potential_block(&grid, &block, nothing, nullptr, 0, 0);
                         std::printf("%d %d %d, %d\n", launch(driver, nothing, 1, 1025, stream, 0),
                                     launch(driver, nothing, 1, 257, stream, 0),
                                     launch(driver, nothing, 1, 128, stream, 0), block);
                       })
        .said;
  };
  CHECK(reported("", "") == "1 0 0, 1024\n");
  CHECK(reported("", ".maxntid 256, 1, 1") == "1 701 0, 256\n");
  CHECK(reported("function_threads=128", "") == "1 701 0, 128\n");
}

TEST_CASE("new memory and freed memory hold nans", "[fake]") {
  CHECK(with_driver("", [](const Table& driver) {
          constexpr size_t kBytes = 1 << 20;
          DevicePointer memory = 0;
          driver.allocate(&memory, kBytes);
          const auto* bytes = reinterpret_cast<const unsigned char*>(memory);
          size_t poisoned = 0;
          for (size_t i = 0; i < kBytes; ++i) poisoned += bytes[i] == 0xff;
          void* host = nullptr;
          driver.host_allocate(&host, kBytes, kHostPortable);
          float number;
          std::memcpy(&number, static_cast<char*>(host) + kBytes - 4, 4);
          std::printf("%d %d\n", poisoned == kBytes, number != number);
        }).said == "1 1\n");
}

TEST_CASE("shared and local memory are not zeroed in any block", "[fake]") {
  // Each block stores what it finds, then writes zeros over it.
  const std::string text = module_text(
      "find",
      "ld.shared.u32 %r3, [memory];\nmov.u32 %r4, 0;\nst.shared.u32 [memory], %r4;\n"
      "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;",
      16);
  CHECK(with_driver("", [&](const Table& driver) {
          DevicePointer memory = 0;
          driver.allocate(&memory, 64);
          const CudaStream stream = new_stream(driver);
          launch(driver, load(driver, text, "find"), 3, 1, stream, memory);
          driver.stream_synchronize(stream);
          const auto* found = reinterpret_cast<const unsigned*>(memory);
          std::printf("%x %x %x\n", found[0], found[1], found[2]);
        }).said == "ffffffff ffffffff ffffffff\n");
}

TEST_CASE("host functions are not called once the device is lost", "[fake]") {
  CHECK(with_driver("", [](const Table& driver) {
          const CudaStream stream = new_stream(driver);
          int calls = 0;
          const auto call = [](void* count) { ++*static_cast<int*>(count); };
          driver.host_function(stream, call, &calls);
          launch(driver, load(driver, kTrap, "stumble"), 1, 1, stream, 0);
          driver.host_function(stream, call, &calls);
          std::printf("%d ", driver.stream_synchronize(stream) != kSuccess);
          std::printf("%d\n", calls);
        }).said.ends_with("1 1\n"));
}

TEST_CASE("host functions are delayed as set", "[fake]") {
  CHECK(with_driver("callback_us=50000", [](const Table& driver) {
          const CudaStream stream = new_stream(driver);
          const auto start = std::chrono::steady_clock::now();
          std::atomic<bool> called = false;
          driver.host_function(
              stream, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &called);
          const bool at_once = called;
          driver.stream_synchronize(stream);
          const auto waited = std::chrono::steady_clock::now() - start;
          std::printf("%d %d %d\n", at_once, called.load(),
                      waited >= std::chrono::milliseconds(50));
        }).said == "0 1 1\n");
}

TEST_CASE("a host function cannot call the driver", "[fake]") {
  CHECK(with_driver("", [](const Table& driver) {
          the_driver = &driver;
          const CudaStream stream = new_stream(driver);
          static CudaStream own = nullptr;
          own = stream;
          driver.host_function(
              stream,
              [](void*) {
                DevicePointer memory = 0;
                Event event = nullptr;
                std::printf("%d %d %d ", the_driver->allocate(&memory, 64),
                            the_driver->stream_synchronize(own),
                            the_driver->event_create(&event, 0));
              },
              nullptr);
          std::printf("%d\n", driver.stream_synchronize(stream));
        }).said == "800 800 800 0\n");
}

TEST_CASE("a full stream makes its callers wait", "[fake]") {
  CHECK(with_driver("queue_depth=8", [](const Table& driver) {
          const CudaStream stream = new_stream(driver);
          static std::atomic<bool> go = false;
          driver.host_function(
              stream,
              [](void*) {
                while (!go) std::this_thread::yield();
              },
              nullptr);
          const Function nothing = load(driver, kRefused, "nothing");
          static std::atomic<int> launched = 0;
          Context context = nullptr;
          driver.context_retain(&context, 0);
          std::thread other([&] {
            driver.context_use(context);
            for (int i = 0; i < 20; ++i) {
              launch(driver, nothing, 1, 1, stream, 0);
              ++launched;
            }
          });
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          std::printf("%d ", launched.load());
          go = true;
          other.join();
          std::printf("%d\n", launched.load());
        }).said == "8 20\n");
}

TEST_CASE("host memory is registered once", "[fake]") {
  CHECK(with_driver("", [](const Table& driver) {
          std::vector<char> block(4096);
          char* data = block.data();
          const auto pin = [&](size_t first, size_t bytes) {
            return driver.host_register(data + first, bytes, kHostPortable);
          };
          for (const Result result :
               {pin(1024, 1024), pin(1024, 1024), pin(0, 1025), pin(2047, 1), pin(1500, 10),
                pin(0, 1024), pin(2048, 1024), driver.host_unregister(data + 1030),
                driver.host_unregister(data + 1024), driver.host_unregister(data + 1024)})
            std::printf("%d ", result);
        }).said == "0 712 712 712 712 0 0 713 0 713 ");
}

}  // namespace fake_tests
