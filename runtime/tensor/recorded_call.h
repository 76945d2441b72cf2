// The ops of one call of a function of tensors, which can be recorded again for other tensors.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/record/replay.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Such a call. No autograd. Belongs to the thread that made it.
class RecordedCall {
 public:
  /// Records the ops again: new outputs for these inputs. Nullopt, and nothing is recorded, if the
  /// inputs differ from those of the call in more than their elements: see Replay::run. Also their
  /// layouts must be the same.
  std::optional<std::vector<Tensor>> run(std::span<const Tensor> inputs) const;
  /// The number of ops that run() records.
  size_t size() const { return replay_.size(); }

 private:
  friend class CallRecording;
  Replay replay_;
  std::vector<Layout> inputs_, outputs_;
};

/// A call that is being recorded, from construction to finish().
class CallRecording {
 public:
  explicit CallRecording(std::span<const Tensor> inputs);
  /// Nullopt if the outputs do not follow from the inputs by ops alone: see
  /// ReplayRecording::finish.
  std::optional<RecordedCall> finish(std::span<const Tensor> outputs);

 private:
  std::vector<Layout> inputs_;
  std::unique_ptr<ReplayRecording> recording_;  ///< null: finished
};

}  // namespace tide
