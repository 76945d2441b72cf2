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

/// A simulated accelerator: one core, limited memory, and transfers that take realistic time. Its
/// streams are launch queues, which share the core and the link; the link carries one transfer at a
/// time in each direction. The modelled clock, if the device models a card, follows the same rules.
/// In either case the host spends the cost of launches and transfers.
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
  /// State shared by all streams of the device.
  struct Card {
    explicit Card(int index);
    int index;
    ProcessUse& use;
    std::atomic<size_t> memory_limit;
    std::atomic<double> rate, staging_rate, pin_rate, latency, launch_cost;
    std::atomic<int64_t> fail_in[3] = {0, 0, 0};  ///< by Fault: a countdown, 1 fails the next one
    /// A resource that one piece of work uses at a time, and its timetable on the modelled clock.
    struct Part {
      std::mutex mutex;
      Timetable times;
    } core, link_in, link_out;
    std::atomic<const CardFigures*> like{nullptr};  ///< the modelled card, with the launch cost and
                                                    ///< link above
    std::vector<std::unique_ptr<const CardFigures>> cards;  ///< all cards modelled so far

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
