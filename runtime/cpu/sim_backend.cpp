#include "runtime/cpu/sim_backend.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/core/error.h"

namespace tide {
namespace {

/// Defaults of a small discrete card on PCIe, so that lessons show a cost.
constexpr size_t kMemory = size_t{1} << 30;
constexpr double kRate = 12e9, kStagingRate = 12e9, kPinRate = 4e9, kLatency = 10e-6, kLaunch = 0;

double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  if (!text) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || !(value >= 0) || value > 1e18) return otherwise;
  switch (*end) {
    case 'K':
    case 'k':
      return value * 1024;
    case 'M':
    case 'm':
      return value * 1024 * 1024;
    case 'G':
    case 'g':
      return value * 1024 * 1024 * 1024;
    default:
      return value;
  }
}

/// Waits precisely: sleeps for most of the time, spins for the rest.
void spend_until(std::chrono::steady_clock::time_point end) {
  constexpr auto kSpin = std::chrono::microseconds(80);
  const auto now = std::chrono::steady_clock::now();
  if (end - now > kSpin) std::this_thread::sleep_for(end - now - kSpin);
  while (std::chrono::steady_clock::now() < end) __builtin_ia32_pause();
}

/// Seconds for so many bytes; a rate of 0 means no time at all.
double time_for(size_t bytes, double rate) {
  return rate > 0 ? static_cast<double>(bytes) / rate : 0;
}

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(value));
}

}  // namespace

SimBackend::Card::Card(int index)
    : index(index),
      use(process_use({DeviceKind::sim, static_cast<uint8_t>(index)})),
      memory_limit(
          static_cast<size_t>(number_from("TIDE_SIM_MEMORY", static_cast<double>(kMemory)))),
      rate(number_from("TIDE_SIM_RATE", kRate)),
      staging_rate(number_from("TIDE_SIM_STAGING", kStagingRate)),
      pin_rate(number_from("TIDE_SIM_PIN", kPinRate)),
      latency(number_from("TIDE_SIM_LATENCY", kLatency)),
      launch_cost(number_from("TIDE_SIM_LAUNCH", kLaunch)) {}

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

void SimBackend::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  spend_launch_cost();
  const std::lock_guard lock(card_->core);
  const BusyTime busy(card_->use);
  HostBackend::launch(step, bases, parameters);
}

ComputeOutcome SimBackend::launch(const ComputeStep& step, void* const* addresses) {
  spend_launch_cost();
  const std::lock_guard lock(card_->core);
  const BusyTime busy(card_->use);
  return HostBackend::launch(step, addresses);
}

void SimBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  if (kind != CopyKind::within && fault(Fault::copy))
    throw Error("the copy failed (injected fault)");
  const std::lock_guard lock(kind == CopyKind::within    ? card_->core
                             : kind == CopyKind::to_host ? card_->link_out
                                                         : card_->link_in);
  const BusyTime busy(card_->use);
  const auto start = std::chrono::steady_clock::now();
  HostBackend::copy(destination, source, bytes, kind);
  if (kind == CopyKind::within) return;
  double time = card_->latency + time_for(bytes, card_->rate);
  if (kind == CopyKind::to_device || kind == CopyKind::to_host)
    time += time_for(bytes, card_->staging_rate);
  spend_until(start + seconds(time));
}

void* SimBackend::allocate_host(size_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  void* data = HostBackend::allocate(bytes);
  spend_until(start + seconds(time_for(bytes, card_->pin_rate)));
  return data;
}

bool SimBackend::fault(Fault kind) {
  std::atomic<int64_t>& left = card_->fail_in[static_cast<int>(kind)];
  if (left.load(std::memory_order_relaxed) == 0) return false;
  return left.fetch_sub(1) == 1;
}

void SimBackend::configure(const SimOptions& options) {
  if (options.memory_limit) card_->memory_limit = *options.memory_limit;
  if (options.bytes_per_second) card_->rate = *options.bytes_per_second;
  if (options.staging_bytes_per_second) card_->staging_rate = *options.staging_bytes_per_second;
  if (options.pin_bytes_per_second) card_->pin_rate = *options.pin_bytes_per_second;
  if (options.copy_latency) card_->latency = *options.copy_latency;
  if (options.launch_cost) card_->launch_cost = *options.launch_cost;
  const auto arm = [&](Fault kind, const std::optional<int64_t>& count) {
    if (count) card_->fail_in[static_cast<int>(kind)] = std::max<int64_t>(*count, 0);
  };
  arm(Fault::op, options.fail_op);
  arm(Fault::allocation, options.fail_allocation);
  arm(Fault::copy, options.fail_copy);
}

}  // namespace tide
