#include "runtime/cpu/sim_backend.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/device/modelled/roofline.h"
#include "runtime/os/environment.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Defaults of a small discrete card on PCIe, so that lessons show a cost.
constexpr size_t kMemory = size_t{1} << 30;
constexpr double kRate = 12e9, kStagingRate = 12e9, kPinRate = 4e9, kLatency = 10e-6, kLaunch = 0;

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

}  // namespace

SimBackend::Card::Card(int index)
    : index(index), use(process_use({DeviceKind::sim, static_cast<uint8_t>(index)})) {
  set_defaults();
}

void SimBackend::Card::set_defaults() {
  memory_limit = static_cast<size_t>(
      environment_number(Variable::sim_memory, static_cast<double>(kMemory), 0, 1e18));
  rate = environment_number(Variable::sim_rate, kRate, 0, 1e18);
  staging_rate = environment_number(Variable::sim_staging, kStagingRate, 0, 1e18);
  pin_rate = environment_number(Variable::sim_pin, kPinRate, 0, 1e18);
  latency = environment_number(Variable::sim_latency, kLatency, 0, 1e18);
  launch_cost = environment_number(Variable::sim_launch, kLaunch, 0, 1e18);
}

/// Earlier figures are kept, because streams of other devices may be reading them.
void SimBackend::Card::set_like(CardFigures figures) {
  figures.launch = launch_cost;
  figures.link = rate;
  figures.latency = latency;
  auto existing =
      std::find_if(cards.begin(), cards.end(), [&](const auto& one) { return *one == figures; });
  if (existing == cards.end())
    existing = cards.insert(cards.end(), std::make_unique<const CardFigures>(std::move(figures)));
  if (!like.exchange(existing->get())) ++modelled::devices;
}

SimBackend::SimBackend(int index) : SimBackend(std::make_shared<Card>(index)) {}

SimBackend::SimBackend(std::shared_ptr<Card> card)
    : HostBackend(std::make_shared<SingleThread>()), card_(std::move(card)) {}

std::unique_ptr<Backend> SimBackend::another_stream() {
  return std::unique_ptr<Backend>(new SimBackend(card_));
}

void SimBackend::spend_launch_cost() const {
  const double cost = card_->launch_cost;
  if (cost > 0) spend_until(std::chrono::steady_clock::now() + seconds(cost));
}

/// Advances the modelled clock of the calling thread's stream.
void SimBackend::spend_modelled(Card::Part& part, double busy, double seconds) {
  StreamTime* const stream = StreamTime::of_thread();
  if (stream) stream->work(part.times.take(stream->now(), busy), seconds);
}

/// Advances it by work of the core, which the caller has locked. While short kernels are launched,
/// other streams may use the core.
void SimBackend::spend_modelled(const CardFigures& card, const StepWork& work) {
  const StepTime time = time_of(card, work);
  spend_modelled(card_->core, time.busy, time.seconds);
}

void SimBackend::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  spend_launch_cost();
  const std::lock_guard lock(card_->core.mutex);
  const BusyTime busy(card_->use);
  HostBackend::launch(step, bases, parameters);
  if (const CardFigures* const like = card()) spend_modelled(*like, work_of(step));
}

ComputeOutcome SimBackend::launch(const ComputeStep& step, void* const* addresses) {
  spend_launch_cost();
  const std::lock_guard lock(card_->core.mutex);
  const BusyTime busy(card_->use);
  ComputeOutcome outcome = HostBackend::launch(step, addresses);
  if (const CardFigures* const like = card()) spend_modelled(*like, work_of(step));
  return outcome;
}

void SimBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  if (kind != CopyKind::within && fault(Fault::copy))
    throw Error("the copy failed (injected fault)");
  const bool is_out = kind == CopyKind::to_host || kind == CopyKind::to_pinned;
  Card::Part& part = kind == CopyKind::within ? card_->core
                     : is_out                 ? card_->link_out
                                              : card_->link_in;
  const std::lock_guard lock(part.mutex);
  const BusyTime busy(card_->use);
  const CardFigures* const like = card();
  const auto start = std::chrono::steady_clock::now();
  HostBackend::copy(destination, source, bytes, kind);
  if (kind == CopyKind::within) {
    if (like) spend_modelled(*like, work_of_copy(bytes));
    return;
  }
  double time = card_->latency + time_for(bytes, card_->rate);
  if (kind == CopyKind::to_device || kind == CopyKind::to_host)
    time += time_for(bytes, card_->staging_rate);
  spend_until(start + seconds(time));
  if (!like) return;
  const double modelled = transfer_time(*like, static_cast<double>(bytes));
  spend_modelled(part, modelled, modelled);
}

void* SimBackend::allocate_host(size_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  void* data = HostBackend::allocate(bytes);
  spend_until(start + seconds(time_for(bytes, card_->pin_rate)));
  return data;
}

bool SimBackend::fault(Fault kind) {
  std::atomic<int64_t>& remaining = card_->fail_in[static_cast<int>(kind)];
  if (remaining.load(std::memory_order_relaxed) == 0) return false;
  return remaining.fetch_sub(1) == 1;
}

void SimBackend::configure(const SimOptions& options) {
  const std::lock_guard lock(card_->core.mutex);
  const bool names_card = options.like && !options.like->name.empty();
  if (names_card) {
    card_->rate = options.like->link;
    card_->latency = options.like->latency;
    card_->launch_cost = options.like->launch;
  } else if (options.like) {
    card_->set_defaults();
    if (card_->like.exchange(nullptr)) --modelled::devices;
  }
  if (options.memory_limit) card_->memory_limit = *options.memory_limit;
  if (options.bytes_per_second) card_->rate = *options.bytes_per_second;
  if (options.staging_bytes_per_second) card_->staging_rate = *options.staging_bytes_per_second;
  if (options.pin_bytes_per_second) card_->pin_rate = *options.pin_bytes_per_second;
  if (options.copy_latency) card_->latency = *options.copy_latency;
  if (options.launch_cost) card_->launch_cost = *options.launch_cost;
  const CardFigures* const figures = names_card ? &*options.like : card();
  if (figures) card_->set_like(*figures);
  const auto arm = [&](Fault kind, const std::optional<int64_t>& count) {
    if (count) card_->fail_in[static_cast<int>(kind)] = std::max<int64_t>(*count, 0);
  };
  arm(Fault::op, options.fail_op);
  arm(Fault::allocation, options.fail_allocation);
  arm(Fault::copy, options.fail_copy);
}

}  // namespace tide
