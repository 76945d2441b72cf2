// CUPTI's activity records: when kernels, copies and fills began and ended. Opened when the first
// profile has a step of a CUDA device.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/cuda/libraries/cupti_api.h"
#include "runtime/device/step_clock.h"

namespace tide::cuda {

/// The one client of CUPTI in this process; it serves all devices. Records refer to calls of the
/// driver, and further records tie calls to the step that the thread was in. Neither need come
/// first, so both are kept until the profile ends.
class Cupti : public StepClock {
 public:
  /// Never destroyed: CUPTI's own thread may bring records while the process ends.
  static Cupti& of_process();

  bool start() override;
  std::unordered_map<int64_t, Times> stop() override;
  std::string description() const override;

  // While it runs:
  /// What the calling thread launches up to `leave` belongs to the step.
  void enter(int64_t step) { table_->push(cupti::kCustom, static_cast<uint64_t>(step)); }
  void leave() { table_->pop(cupti::kCustom, nullptr); }

 private:
  Cupti() = default;
  bool open();
  bool accepts(cupti::Status status);
  void end();
  static void take_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                          size_t used);
  void keep(const cupti::Record& record);
  template <class Work>
  void keep_work(const cupti::Record& record);

  struct Timed {
    uint32_t call;
    Times times;
  };
  struct Link {
    uint32_t call;
    int64_t step;
  };
  cupti::Table functions_;
  const cupti::Table* table_ = nullptr;  ///< of the functions, if they are there
  cupti::Subscriber subscriber_ = nullptr;
  mutable std::mutex mutex_;              ///< of what follows
  std::string name_ = "CUPTI", refusal_;  ///< with its version; why it does not run
  bool tried_ = false;
  std::mutex records_mutex_;  ///< CUPTI's thread brings them
  std::vector<Timed> timed_;
  std::vector<Link> links_;
};

}  // namespace tide::cuda
