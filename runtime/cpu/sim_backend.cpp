#include "runtime/cpu/sim_backend.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/device/modelled/roofline.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Waits precisely: sleeps for most of the time, spins for the rest.
void spend_until(std::chrono::steady_clock::time_point end) {
  constexpr auto kSpin = std::chrono::microseconds(80);
  const auto now = std::chrono::steady_clock::now();
  if (end - now > kSpin) std::this_thread::sleep_for(end - now - kSpin);
  while (std::chrono::steady_clock::now() < end) __builtin_ia32_pause();
}

/// Seconds to move `bytes`; a rate of 0 means no time at all.
double time_for(size_t bytes, double rate) {
  return rate > 0 ? static_cast<double>(bytes) / rate : 0;
}

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(value));
}

/// Computes for all simulated accelerators.
SingleThread& one_thread() {
  static SingleThread thread;
  return thread;
}

}  // namespace

SimDevice::SimDevice(int index) : HostDevice(one_thread()) {
  simulation = std::make_shared<Simulation>(index);
}

std::unique_ptr<StreamBackend> SimDevice::make_stream() {
  return std::make_unique<SimStream>(simulation);
}

void* SimDevice::allocate(size_t bytes, Memory memory) {
  const auto start = std::chrono::steady_clock::now();
  void* data = HostDevice::allocate(bytes);
  if (memory == Memory::pinned_host)
    spend_until(start + seconds(time_for(bytes, simulation->pin_rate)));
  return data;
}

SimStream::SimStream(std::shared_ptr<Simulation> shared) : HostStream(one_thread()) {
  simulation = std::move(shared);
}

void SimStream::spend_launch_cost() const {
  const double cost = simulation->launch_cost;
  if (cost > 0) spend_until(std::chrono::steady_clock::now() + seconds(cost));
}

/// Advances the modelled clock of the calling thread's stream.
void SimStream::spend_modelled(Simulation::Part& part, double busy, double seconds) {
  StreamTime* const stream = StreamTime::of_thread();
  if (stream) stream->work(part.times.take(stream->now(), busy), seconds);
}

/// Advances it by work of the core, which the caller has locked. While short kernels are launched,
/// other streams may use the core.
void SimStream::spend_modelled(const CardFigures& card, const StepWork& work) {
  const StepTime time = time_of(card, work);
  spend_modelled(simulation->core, time.busy, time.seconds);
}

void SimStream::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  spend_launch_cost();
  const std::lock_guard lock(simulation->core.mutex);
  const BusyTime busy(simulation->use);
  HostStream::launch(step, bases, parameters);
  if (const CardFigures* const like = simulation->card()) spend_modelled(*like, work_of(step));
}

ComputeOutcome SimStream::launch(const ComputeStep& step, void* const* addresses, const LoopCall*) {
  spend_launch_cost();
  const std::lock_guard lock(simulation->core.mutex);
  const BusyTime busy(simulation->use);
  ComputeOutcome outcome = HostStream::launch(step, addresses, nullptr);
  if (const CardFigures* const like = simulation->card()) spend_modelled(*like, work_of(step));
  return outcome;
}

void SimStream::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  if (kind != CopyKind::within && simulation->fault(Simulation::Fault::copy))
    throw Error("the copy failed (injected fault)");
  const bool is_out = kind == CopyKind::to_host || kind == CopyKind::to_pinned;
  Simulation::Part& part = kind == CopyKind::within ? simulation->core
                           : is_out                 ? simulation->link_out
                                                    : simulation->link_in;
  const std::lock_guard lock(part.mutex);
  const BusyTime busy(simulation->use);
  const CardFigures* const like = simulation->card();
  const auto start = std::chrono::steady_clock::now();
  HostStream::copy(destination, source, bytes, kind);
  if (kind == CopyKind::within) {
    if (like) spend_modelled(*like, work_of_copy(bytes));
    return;
  }
  double time = simulation->latency + time_for(bytes, simulation->rate);
  if (kind == CopyKind::to_device || kind == CopyKind::to_host)
    time += time_for(bytes, simulation->staging_rate);
  spend_until(start + seconds(time));
  if (!like) return;
  const double modelled = transfer_time(*like, static_cast<double>(bytes));
  spend_modelled(part, modelled, modelled);
}

}  // namespace tide
