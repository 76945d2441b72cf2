// Flushes windows: makes their plans, binds them to blocks and submits them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/execute/submission.h"
#include "runtime/plan/plan.h"
#include "runtime/record/device_state.h"
#include "runtime/record/window.h"

namespace tide {

/// Flushes one window. If memory is short, the ops are flushed one by one; ops that still cannot
/// run or that need lost values fail (plan_flusher_losses.cpp).
class PlanFlusher {
 public:
  explicit PlanFlusher(Window& window) : window_(window) {}
  void flush();

 private:
  /// Thrown inside `bind` when an allocation fails.
  struct OutOfMemory {
    size_t bytes;
    const Node* node;  ///< owned by the window
  };

  uint64_t submit(Plan& plan);
  void follow_inputs();
  void keep_inputs(uint64_t ticket);
  Ref<Storage> take(size_t bytes, const Node& node);
  void bind(Plan& plan, Submission& submission);
  void bind_step(const Plan& plan, const Step& step, Submission& submission);
  void take_outputs(const Plan& plan, const Step& step, BoundStep& bound);
  bool held_by_window_alone(const Plan& plan, const BufferUse& value);
  void count_holders(const Plan& plan);
  Storage* storage_of(const BufferUse& use) const;
  void settle(const Plan& plan, uint64_t ticket);

  std::vector<Ref<Node>> taken_nodes();
  void do_with_less_memory(const OutOfMemory& shortage);
  void flush_in_turn(std::vector<Ref<Node>> nodes, const Ref<Failure>& failure);
  void leave_out_lost();
  void give_up_all(const char* what);

  Window& window_;
  Stream* stream_ = nullptr;                       ///< of the last flush
  std::array<uint64_t, kMostStreams> followed_{};  ///< per stream: the ticket that ours follows
  std::vector<Ref<Storage>> foreign_;              ///< inputs written by other streams
  std::vector<Ref<Storage>> temporaries_;
  std::vector<Ref<Node>> spare_;  ///< empty: capacity from the previous window
  /// Owners outside the window, once counted: per external, and per node.
  std::vector<int64_t> holders_, node_holders_;
  bool holders_counted_ = false;
};

}  // namespace tide
