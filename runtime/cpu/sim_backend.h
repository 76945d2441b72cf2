// Simulated accelerators: limits, costs and faults around the host's arithmetic.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/cpu/host_backend.h"
#include "runtime/device/fault_injection.h"
#include "runtime/device/process_use.h"
#include "runtime/device/simulation.h"

namespace tide {

/// An accelerator that is simulated: one core of arithmetic, memory with a limit, transfers that
/// take the time they would take. Its streams are launch queues: they share the core and the link,
/// which carries one transfer at a time in each direction.
class SimBackend : public HostBackend, public FaultInjection, public Simulation {
 public:
  /// Options start from TIDE_SIM_MEMORY (bytes, with K, M or G), TIDE_SIM_RATE, TIDE_SIM_STAGING
  /// and TIDE_SIM_PIN (bytes per second), TIDE_SIM_LATENCY and TIDE_SIM_LAUNCH (seconds).
  explicit SimBackend(int index);

  std::unique_ptr<Backend> another_stream() override;
  size_t memory_limit() const override { return card_->memory_limit; }
  void* allocate_host(size_t bytes) override;
  void release_host(void* data, size_t bytes) override { HostBackend::release(data, bytes); }
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  bool fault(Fault kind) override;
  void configure(const SimOptions& options) override;
  FaultInjection* fault_injection() override { return this; }
  Simulation* simulation() override { return this; }

 private:
  /// What all streams of the device share.
  struct Card {
    explicit Card(int index);
    int index;
    ProcessUse& use;
    std::atomic<size_t> memory_limit;
    std::atomic<double> rate, staging_rate, pin_rate, latency, launch_cost;
    std::atomic<int64_t> fail_in[3] = {0, 0, 0};  ///< by Fault: 1 means the next one
    std::mutex core, link_in, link_out;
  };
  explicit SimBackend(std::shared_ptr<Card> card);
  void spend_launch_cost() const;

  const std::shared_ptr<Card> card_;
};

}  // namespace tide
