// Simulated accelerators: limits, costs and faults around the host's arithmetic.
#pragma once

#include <memory>

#include "runtime/cpu/host_backend.h"
#include "runtime/device/simulation.h"

namespace tide {

struct StepWork;

/// A simulated accelerator: one core, limited memory, and transfers that take realistic time.
class SimDevice : public HostDevice {
 public:
  explicit SimDevice(int index);
  /// Pinning takes time.
  void* allocate(size_t bytes, Memory memory = Memory::device) override;
  std::unique_ptr<StreamBackend> make_stream() override;
};

/// A launch queue of a simulated accelerator. All share the core and the link; the link carries one
/// transfer at a time in each direction. The modelled clock, if the device models a card, follows
/// the same rules. In either case the host spends the cost of launches and transfers.
class SimStream : public HostStream {
 public:
  explicit SimStream(std::shared_ptr<Simulation> shared);
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses,
                        const LoopCall* finish) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;

 private:
  void spend_launch_cost() const;
  static void spend_modelled(Simulation::Part& part, double busy, double seconds);
  void spend_modelled(const CardFigures& card, const StepWork& work);
};

}  // namespace tide
