// The windows of a thread.
#include "runtime/record/recorder.h"

#include <unistd.h>

#include "runtime/os/environment.h"

namespace tide {

Recorder::Recorder() : eager(environment_flag(Variable::eager)) {}

Recorder::~Recorder() {
  if (gettid() == getpid()) DeviceState::shut_down();
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

void Recorder::begin_trial() {
  if (in_trial_ || all_or_nothing) return;
  windows_.swap(aside_);
  in_trial_ = all_or_nothing = true;
}

void Recorder::end_trial() {
  if (!in_trial_) return;
  struct Ended {
    Recorder& recorder;
    ~Ended() {
      recorder.windows_ = std::move(recorder.aside_);
      recorder.aside_.clear();
      recorder.in_trial_ = recorder.all_or_nothing = recorder.cancelled = false;
    }
  } const ended{*this};
  cancelled = true;
  flush({});
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
