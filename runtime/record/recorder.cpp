// The windows of a thread.
#include "runtime/record/recorder.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace tide {
namespace {

bool eager_by_environment() {
  const char* value = std::getenv("TIDE_EAGER");
  return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

Recorder::Recorder() : eager(eager_by_environment()) {}

Recorder::~Recorder() {
  if (gettid() == getpid()) DeviceState::rest();
}

Recorder& Recorder::of_thread() {
  thread_local Recorder recorder;
  return recorder;
}

Window& Recorder::add_window(DeviceState& device) {
  const auto number = static_cast<size_t>(device.number);
  if (number >= windows_.size()) windows_.resize(number + 1);
  return *(windows_[number] = std::make_unique<Window>(device));
}

void Recorder::flush(const FlushCause& cause) {
  for (const auto& window : windows_)
    if (window) window->flush(cause);
}

int64_t Recorder::pending_ops() const {
  int64_t count = 0;
  for (const auto& window : windows_)
    if (window) count += window->size();
  return count;
}

int64_t Recorder::recorded_ops() const {
  int64_t count = 0;
  for (const auto& window : windows_)
    if (window) count += window->recorded();
  return count;
}

}  // namespace tide
