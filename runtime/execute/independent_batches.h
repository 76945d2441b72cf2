// Determines which submissions of a queue may run concurrently.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/execute/submission.h"

namespace tide {

/// Partitions submissions into independent batches: two that share an address that one of them
/// writes are in the same batch, where they keep their order. Different independent batches may run
/// concurrently.
class IndependentBatches {
 public:
  /// Starts over.
  void clear();
  /// Adds the next submission, which has a plan, and its work.
  void add(const Submission& submission, int64_t work);
  /// Finds the independent batches of the added submissions.
  void tie();

  size_t count() const { return count_; }
  /// The submissions of a batch, in order; their numbers count from 0.
  std::span<const uint32_t> batch(size_t index) const {
    return std::span(members_).subspan(starts_[index], starts_[index + 1] - starts_[index]);
  }
  /// Work of the longest batch, and total work.
  int64_t longest_work() const { return longest_work_; }
  int64_t whole_work() const { return whole_work_; }

 private:
  struct Use {
    uint64_t address;
    uint32_t submission;
    bool writes;
  };
  uint32_t root(uint32_t submission);

  std::vector<Use> uses_;
  std::vector<int64_t> work_;      ///< of each submission
  std::vector<uint32_t> parents_;  ///< per submission: a forest with a tree per batch
  std::vector<uint32_t> members_;  ///< submissions, batch after batch
  std::vector<uint32_t> starts_;   ///< per batch: start in members_; and the end
  size_t count_ = 0;
  int64_t longest_work_ = 0, whole_work_ = 0;
};

}  // namespace tide
