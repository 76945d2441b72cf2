// What ops report to the host, while the stream runs, of the numbers that they were given.
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
/// the context current; the memory goes with the context.
class Reports {
 public:
  /// The failure's text, from what the op has reported.
  using Describe = std::function<std::string(int64_t what)>;

  struct Place {
    uint64_t number;
    Report* report;  ///< of an op that found nothing wrong, unless it says otherwise
  };
  Place open(Describe describe);
  /// What the op reported, which is done. The place is free then.
  std::optional<std::string> close(uint64_t number);

 private:
  static constexpr size_t kBlock = 1024;  ///< reports pinned at a time

  std::vector<Report*> blocks_;
  std::vector<Describe> describe_;  ///< per report of the blocks
  std::vector<uint64_t> free_;
};

}  // namespace tide::cuda
