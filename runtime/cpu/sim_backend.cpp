// Simulated accelerators: limits, costs and faults around the host's arithmetic.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/core/error.h"
#include "runtime/cpu/host_backend.h"

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

int sim_count() {
  constexpr int kMost = 64;
  const char* text = std::getenv("TIDE_SIM_DEVICES");
  int count = 2;
  if (text) std::from_chars(text, text + std::strlen(text), count);
  return std::clamp(count, 0, kMost);
}

SimBackend::SimBackend(int index)
    : HostBackend(std::make_unique<SingleThread>()),
      index_(index),
      memory_limit_(
          static_cast<size_t>(number_from("TIDE_SIM_MEMORY", static_cast<double>(kMemory)))),
      rate_(number_from("TIDE_SIM_RATE", kRate)),
      staging_rate_(number_from("TIDE_SIM_STAGING", kStagingRate)),
      pin_rate_(number_from("TIDE_SIM_PIN", kPinRate)),
      latency_(number_from("TIDE_SIM_LATENCY", kLatency)),
      launch_cost_(number_from("TIDE_SIM_LAUNCH", kLaunch)) {}

std::string SimBackend::description() const {
  return "simulated accelerator " + std::to_string(index_) +
         ": one core, own memory; times of transfers are simulated";
}

void SimBackend::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  if (launch_cost_ > 0) spend_until(std::chrono::steady_clock::now() + seconds(launch_cost_));
  HostBackend::launch(step, bases, parameters);
}

std::optional<PositionFailure> SimBackend::launch(const NativeStep& step, void* const* addresses) {
  if (launch_cost_ > 0) spend_until(std::chrono::steady_clock::now() + seconds(launch_cost_));
  return HostBackend::launch(step, addresses);
}

void SimBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  const auto start = std::chrono::steady_clock::now();
  if (kind != CopyKind::within && fault(Fault::copy))
    throw Error("the copy failed (injected fault)");
  HostBackend::copy(destination, source, bytes, kind);
  if (kind == CopyKind::within) return;
  double time = latency_ + time_for(bytes, rate_);
  if (kind == CopyKind::to_device || kind == CopyKind::to_host)
    time += time_for(bytes, staging_rate_);
  spend_until(start + seconds(time));
}

void* SimBackend::allocate_host(size_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  void* data = HostBackend::allocate_host(bytes);
  spend_until(start + seconds(time_for(bytes, pin_rate_)));
  return data;
}

bool SimBackend::fault(Fault kind) {
  std::atomic<int64_t>& left = fail_in_[static_cast<int>(kind)];
  if (left.load(std::memory_order_relaxed) == 0) return false;
  return left.fetch_sub(1) == 1;
}

void SimBackend::configure(const engine::SimOptions& options) {
  if (options.memory_limit) memory_limit_ = *options.memory_limit;
  if (options.bytes_per_second) rate_ = *options.bytes_per_second;
  if (options.staging_bytes_per_second) staging_rate_ = *options.staging_bytes_per_second;
  if (options.pin_bytes_per_second) pin_rate_ = *options.pin_bytes_per_second;
  if (options.copy_latency) latency_ = *options.copy_latency;
  if (options.launch_cost) launch_cost_ = *options.launch_cost;
  const auto arm = [&](Fault kind, const std::optional<int64_t>& count) {
    if (count) fail_in_[static_cast<int>(kind)] = std::max<int64_t>(*count, 0);
  };
  arm(Fault::op, options.fail_op);
  arm(Fault::allocation, options.fail_allocation);
  arm(Fault::copy, options.fail_copy);
}

}  // namespace tide
