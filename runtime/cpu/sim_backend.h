// Simulated accelerators: limits, costs and faults around the host's arithmetic.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cpu/host_backend.h"
#include "runtime/device/fault_injection.h"
#include "runtime/device/modelled/modelled_time.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/device/process_use.h"
#include "runtime/device/simulation.h"

namespace tide {

/// An accelerator that is simulated: one core of arithmetic, memory with a limit, transfers that
/// take the time they would take. Its streams are launch queues: they share the core and the link,
/// which carries one transfer at a time in each direction. So they do on the modelled clock, if the
/// device is like a card. The host spends the cost of launches and transfers in either case.
class SimBackend : public HostBackend, public FaultInjection, public Simulation {
 public:
  /// Options start from TIDE_SIM_MEMORY (bytes, with K, M or G), TIDE_SIM_RATE, TIDE_SIM_STAGING
  /// and TIDE_SIM_PIN (bytes per second), TIDE_SIM_LATENCY and TIDE_SIM_LAUNCH (seconds).
  explicit SimBackend(int index);

  std::unique_ptr<Backend> another_stream() override;
  MemoryLimit memory_limit() const override { return {.bytes = card_->memory_limit}; }
  void* allocate_host(size_t bytes) override;
  void release_host(void* data, size_t bytes) override { HostBackend::release(data, bytes); }
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  bool fault(Fault kind) override;
  void configure(const SimOptions& options) override;
  const CardFigures* card() const override { return card_->like.load(std::memory_order_acquire); }
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
    /// What one piece of work uses at a time, and when it is used on the modelled clock.
    struct Part {
      std::mutex mutex;
      Timetable times;
    } core, link_in, link_out;
    std::atomic<const CardFigures*> like{nullptr};  ///< with the launch and the link of above
    std::vector<std::unique_ptr<const CardFigures>> cards;  ///< all that it was like

    void set_defaults();
    void set_like(CardFigures figures);
  };
  explicit SimBackend(std::shared_ptr<Card> card);
  void spend_launch_cost() const;
  static void spend_modelled(Card::Part& part, double busy, double seconds);
  void spend_modelled(const CardFigures& card, const StepWork& work);

  const std::shared_ptr<Card> card_;
};

}  // namespace tide
