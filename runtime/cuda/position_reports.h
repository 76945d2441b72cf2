// What ops with positions report to the host while the stream runs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/graph/backend.h"

namespace tide::cuda {

/// Reports of one stream, in pinned memory that its kernels write. Used by the queue's thread, with
/// the context current; the memory goes with the context.
class PositionReports {
 public:
  struct Place {
    uint64_t number;
    PositionReport* report;  ///< of an op whose positions are all right, unless it says otherwise
  };
  /// A place for the report of an op whose positions may be 1 to `limit`.
  Place open(int64_t limit);
  /// What the op reported, which is done. The place is free then.
  std::optional<PositionFailure> close(uint64_t number);

 private:
  static constexpr size_t kBlock = 1024;  ///< reports pinned at a time

  std::vector<PositionReport*> blocks_;
  std::vector<int64_t> limits_;  ///< per report of the blocks
  std::vector<uint64_t> free_;
};

}  // namespace tide::cuda
