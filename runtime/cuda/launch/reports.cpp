// Allocates the reports' pinned memory, and reads it.
#include "runtime/cuda/launch/reports.h"

#include <utility>

namespace tide::cuda {

Reports::Slot Reports::open(Describe describe) {
  if (free_.empty()) {
    void* data = nullptr;
    check(driver().host_allocate(&data, kBlock * sizeof(Report), kHostPortable | kHostMapped),
          "cuMemHostAlloc");
    for (size_t i = kBlock; i-- > 0;) free_.push_back(describe_.size() + i);
    describe_.resize(describe_.size() + kBlock);
    blocks_.push_back(static_cast<Report*>(data));
  }
  const uint64_t number = free_.back();
  free_.pop_back();
  describe_[number] = std::move(describe);
  Report* report = blocks_[number / kBlock] + number % kBlock;
  *report = {};
  return {number, report};
}

std::optional<std::string> Reports::close(uint64_t number) {
  const Report report = blocks_[number / kBlock][number % kBlock];
  free_.push_back(number);
  if (!report.wrong) return std::nullopt;
  return describe_[number](report.what);
}

}  // namespace tide::cuda
