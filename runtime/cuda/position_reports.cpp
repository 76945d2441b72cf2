// Pins the reports' memory, and reads it.
#include "runtime/cuda/position_reports.h"

namespace tide::cuda {

PositionReports::Place PositionReports::open(int64_t limit) {
  if (free_.empty()) {
    void* data = nullptr;
    check(
        driver().host_allocate(&data, kBlock * sizeof(PositionReport), kHostPortable | kHostMapped),
        "cuMemHostAlloc");
    for (size_t i = kBlock; i-- > 0;) free_.push_back(limits_.size() + i);
    limits_.resize(limits_.size() + kBlock);
    blocks_.push_back(static_cast<PositionReport*>(data));
  }
  const uint64_t number = free_.back();
  free_.pop_back();
  limits_[number] = limit;
  PositionReport* report = blocks_[number / kBlock] + number % kBlock;
  *report = {};
  return {number, report};
}

std::optional<PositionFailure> PositionReports::close(uint64_t number) {
  const PositionReport report = blocks_[number / kBlock][number % kBlock];
  free_.push_back(number);
  if (!report.wrong) return std::nullopt;
  return PositionFailure{report.position, limits_[number]};
}

}  // namespace tide::cuda
