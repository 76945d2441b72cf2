// Independent submissions share no address that one of them writes.
#include "runtime/execute/independent_batches.h"

#include <algorithm>
#include <numeric>

namespace tide {

void IndependentBatches::clear() {
  uses_.clear();
  work_.clear();
}

void IndependentBatches::add(const Submission& submission, int64_t work) {
  const auto number = static_cast<uint32_t>(work_.size());
  work_.push_back(work);
  const auto note = [&](size_t place, bool writes) {
    uses_.push_back({submission.words[place], number, writes});
  };
  for (const BoundStep& bound : submission.steps) {
    const Step& step = *bound.step;
    for (size_t i = 0; i < step.buffers.size(); ++i)
      if (step.buffers[i].source != BufferUse::Source::iota)
        note(bound.storages + i, step.is_stored(i));
    for (size_t i = 0; i < step.outputs.size(); ++i) note(bound.outputs + i, true);
    for (size_t i = 0; i < step.fallbacks.size(); ++i) note(bound.fallbacks + i, false);
  }
}

void IndependentBatches::tie() {
  parents_.resize(work_.size());
  std::iota(parents_.begin(), parents_.end(), 0);
  std::sort(uses_.begin(), uses_.end(),
            [](const Use& a, const Use& b) { return a.address < b.address; });
  for (size_t begin = 0, end; begin < uses_.size(); begin = end) {
    bool writes = false;
    for (end = begin; end < uses_.size() && uses_[end].address == uses_[begin].address; ++end)
      writes |= uses_[end].writes;
    if (!writes) continue;
    for (size_t i = begin + 1; i < end; ++i) {
      // The first submission of a batch is its root.
      const uint32_t a = root(uses_[begin].submission), b = root(uses_[i].submission);
      parents_[std::max(a, b)] = std::min(a, b);
    }
  }
  members_.clear();
  starts_.clear();
  longest_work_ = whole_work_ = 0;
  for (uint32_t first = 0; first < work_.size(); ++first) {
    if (parents_[first] != first) continue;
    starts_.push_back(static_cast<uint32_t>(members_.size()));
    int64_t work = 0;
    for (uint32_t i = first; i < work_.size(); ++i) {
      if (root(i) != first) continue;
      members_.push_back(i);
      work += work_[i];
    }
    longest_work_ = std::max(longest_work_, work);
    whole_work_ += work;
  }
  count_ = starts_.size();
  starts_.push_back(static_cast<uint32_t>(members_.size()));
}

uint32_t IndependentBatches::root(uint32_t submission) {
  while (parents_[submission] != submission) {
    parents_[submission] = parents_[parents_[submission]];
    submission = parents_[submission];
  }
  return submission;
}

}  // namespace tide
