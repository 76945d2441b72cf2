// Reports of invalid input values from running kernels to the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/kernels/arguments.h"

namespace tide::cuda {

/// Reports of one stream, in pinned memory that its kernels write. Used by the queue's thread, with
/// the context current; the memory is released with the context.
class Reports {
 public:
  /// Returns the error message for the value that the op reported.
  using Describe = std::function<std::string(int64_t what)>;

  struct Slot {
    uint64_t number;
    Report* report;  ///< starts as "nothing wrong"; the kernel overwrites it
  };
  Slot open(Describe describe);
  /// The error that the op reported, if any. The op must be done; frees the slot.
  std::optional<std::string> close(uint64_t number);

 private:
  static constexpr size_t kBlock = 1024;  ///< reports pinned at a time

  std::vector<Report*> blocks_;
  std::vector<Describe> describe_;  ///< per report of the blocks
  std::vector<uint64_t> free_;
};

}  // namespace tide::cuda
