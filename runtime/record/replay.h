// Ops that a thread recorded once, and records again with other inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/record/node.h"

namespace tide {

/// A sequence of recorded ops as a function of some values, its inputs. Belongs to the thread that
/// recorded it.
class Replay {
 public:
  /// Records the ops again, for these inputs and the current line of the script, and returns the
  /// outputs. Nullopt, and nothing is recorded, if the inputs do not fit: shapes, types and devices
  /// must be those of the recording, inputs that were the same value must be so again, and values
  /// derived from an input must exist. Throws what recording throws.
  std::optional<std::vector<Ref<Node>>> run(std::span<const Ref<Node>> inputs) const;
  size_t size() const { return steps_.size(); }

 private:
  friend class ReplayRecording;

  /// Where the value of an argument comes from.
  struct Source {
    enum class Kind : uint8_t { scalar, input, derived, step, constant };
    Kind kind = Kind::scalar;
    uint32_t index = 0;  ///< among the inputs, `derived_`, `steps_` or `constants_`
  };
  struct Step {
    Ref<Node> pattern;            ///< without the nodes of arguments
    std::vector<Source> sources;  ///< of the arguments, then of the compute op's inputs
    std::vector<uint32_t> done;   ///< steps whose results no later step needs
    bool cuts_window = false;
  };
  struct Input {
    Shape shape;
    DType type;
    DeviceState* device;
    uint32_t same_as;  ///< the first input with this value: its own index, or an earlier one
  };
  /// A value derived from an input (tensor/derived.h).
  struct Derived {
    uint32_t input;
    std::vector<int64_t> key;
  };

  bool fits(std::span<const Ref<Node>> inputs) const;
  bool find_derived(std::span<const Ref<Node>> inputs, std::vector<Ref<Node>>& found) const;

  std::vector<Input> inputs_;
  std::vector<Derived> derived_;
  std::vector<Ref<Node>> constants_;
  std::vector<Step> steps_;
  std::vector<uint32_t> outputs_;  ///< steps
};

/// During its lifetime, notes what its thread records.
class ReplayRecording {
 public:
  /// A thread has one at a time: the inner ones of several note nothing.
  explicit ReplayRecording(std::span<const Ref<Node>> inputs);
  ~ReplayRecording();
  ReplayRecording(const ReplayRecording&) = delete;
  ReplayRecording& operator=(const ReplayRecording&) = delete;

  /// The ops so far. Nullopt if recording them again would not be the same as calling the script
  /// again: a value computed from the inputs was read, a random number was drawn, an older value
  /// was overwritten, or an output is not the result of an op of its own.
  std::optional<Replay> finish(std::span<const Ref<Node>> outputs);

  // Called by what creates, records and reads nodes:

  /// This thread's recording, or null.
  static ReplayRecording* of_thread() { return current; }
  /// A new node may have the address of one that was freed.
  void note_created(const Node& node) { steps_.erase(&node); }
  void note_recorded(const Node& node, bool cuts_window);
  void note_read(const Node& node);
  /// What follows must not be recorded again.
  void spoil() { is_spoiled_ = true; }
  bool is_step(const Node& node) const { return steps_.contains(&node); }

  /// During its lifetime, the thread's recording notes no ops: their results count as constants.
  class Pause {
   public:
    Pause() : paused_(current && !current->is_paused_) {
      if (paused_) current->is_paused_ = true;
    }
    ~Pause() {
      if (paused_) current->is_paused_ = false;
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    bool paused_;
  };

 private:
  Replay::Source source_of(const Argument& argument);
  void find_derived();
  void find_last_uses();

  inline static constinit thread_local ReplayRecording* current = nullptr;

  Replay replay_;
  std::vector<Ref<Node>> input_nodes_;
  std::unordered_map<const Node*, uint32_t> inputs_, steps_, constants_;
  std::vector<bool> depends_;  ///< per step: whether it depends on the inputs
  bool is_spoiled_ = false, is_paused_ = false;
};

}  // namespace tide
