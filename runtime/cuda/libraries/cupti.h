// Begin and end times of kernels, copies and fills, from CUPTI's activity records. CUPTI is opened
// when the first profile has a step of a CUDA device.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/cuda/libraries/cupti_api.h"
#include "runtime/device/step_clock.h"

namespace tide::cuda {

/// The process's only client of CUPTI, for all devices. Records refer to calls of the driver, and
/// correlation records link calls to the step that the thread was in. They may arrive in any order,
/// so both are kept until the profile ends.
class Cupti {
 public:
  /// Never destroyed: CUPTI's thread may deliver records while the process exits.
  static Cupti& of_process();
  static const StepClock& clock();

  using Times = StepClock::Times;
  bool start();
  std::unordered_map<int64_t, Times> stop();
  std::string description() const;

  // While it runs:
  /// Launches of the calling thread up to `leave` belong to the step.
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
  const cupti::Table* table_ = nullptr;  ///< null unless the library is complete
  cupti::Subscriber subscriber_ = nullptr;
  mutable std::mutex mutex_;              ///< guards the following members
  std::string name_ = "CUPTI", refusal_;  ///< with the version; why it cannot be used
  bool tried_ = false;
  std::mutex records_mutex_;  ///< CUPTI's thread delivers records
  std::vector<Timed> timed_;
  std::vector<Link> links_;
};

}  // namespace tide::cuda
