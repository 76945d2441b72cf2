// A kind of device in one file, as CONTRIBUTING.md describes: a wrapper of the cpu that logs its
// calls. With TIDE_TEST_LOGGING_DEVICE=1 it takes the place of the cpu in all tests of the program.
#include "tests/runtime/device/logging_device.h"

#include <cstdlib>
#include <utility>

#include "runtime/cpu/host_platform.h"
#include "runtime/device/backend.h"
#include "runtime/device/registry.h"

namespace tide::test {
namespace {

DeviceLog& device_log() {
  static DeviceLog& log = *new DeviceLog;  // queues run until the process ends
  return log;
}

/// Forwards to a stream of the cpu.
class LoggingStream : public StreamBackend {
 public:
  explicit LoggingStream(std::unique_ptr<StreamBackend> inner) : inner_(std::move(inner)) {
    threads = inner_->threads;
    ++device_log().streams;
  }

  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override {
    ++device_log().loops;
    inner_->launch(step, bases, parameters);
  }
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses,
                        const LoopCall* finish) override {
    ++device_log().computes;
    return inner_->launch(step, addresses, finish);
  }
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override {
    ++device_log().copies;
    inner_->copy(destination, source, bytes, kind);
  }
  void note(uint64_t ticket) override { inner_->note(ticket); }
  uint64_t done() override { return inner_->done(); }
  void wait(uint64_t ticket) override { inner_->wait(ticket); }
  void follow(StreamBackend& other, uint64_t ticket) override {
    inner_->follow(*static_cast<LoggingStream&>(other).inner_, ticket);
  }
  void call_when_done(void (*function)(void*), void* data) override {
    inner_->call_when_done(function, data);
  }
  void take_time(uint64_t ticket) override { inner_->take_time(ticket); }
  MarkTime time_taken(uint64_t ticket) override { return inner_->time_taken(ticket); }

 private:
  const std::unique_ptr<StreamBackend> inner_;
};

/// Forwards to the cpu.
class LoggingDevice : public DeviceBackend {
 public:
  explicit LoggingDevice(std::unique_ptr<DeviceBackend> inner) : inner_(std::move(inner)) {
    memory_limit = inner_->memory_limit;
  }

  void* allocate(size_t bytes, Memory memory) override {
    void* const data = inner_->allocate(bytes, memory);
    if (data) device_log().bytes += static_cast<int64_t>(bytes);
    return data;
  }
  void release(void* data, size_t bytes, Memory memory) override {
    device_log().bytes -= static_cast<int64_t>(bytes);
    inner_->release(data, bytes, memory);
  }
  std::unique_ptr<StreamBackend> make_stream() override {
    return std::make_unique<LoggingStream>(inner_->make_stream());
  }

 private:
  const std::unique_ptr<DeviceBackend> inner_;
};

const Platform& logging_platform() {
  static const Platform row = [] {
    Platform copy = host_platform();
    copy.make_device = [](uint8_t index) -> std::unique_ptr<DeviceBackend> {
      return std::make_unique<LoggingDevice>(host_platform().make_device(index));
    };
    return copy;
  }();
  return row;
}

/// Before the first use of a device.
const bool is_used = [] {
  const bool wanted = std::getenv("TIDE_TEST_LOGGING_DEVICE") != nullptr;
  if (wanted) platforms()[static_cast<size_t>(DeviceKind::cpu)] = &logging_platform();
  return wanted;
}();

}  // namespace

const DeviceLog* log_of_cpu() { return is_used ? &device_log() : nullptr; }

}  // namespace tide::test
