// The ops one thread has recorded for one device, until they are flushed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/registry.h"
#include "runtime/record/device_state.h"
#include "runtime/record/flush_observer.h"
#include "runtime/record/node.h"
#include "runtime/record/word_list.h"

namespace tide {

class Window;

/// Plans the ops of a window and submits them (runtime/execute/plan_flusher.h).
class PlanFlusher;
std::shared_ptr<PlanFlusher> make_flusher(Window& window);
/// Flushes the flusher's window, which is not empty.
void flush_window(PlanFlusher& flusher);

/// Nodes to be flushed. All of them go to one stream.
class Window {
 public:
  /// Limits before a window is flushed: ops, and results that nothing in it reads, which will all
  /// be stored: this many bytes in at least this many results (a chain has few, of any size).
  static constexpr size_t kMostOps = 128;
  static constexpr size_t kMostUnreadBytes = size_t{64} << 20;
  static constexpr size_t kFewUnread = 8;

  explicit Window(DeviceState& device)
      : device_(device),
        batches_(capabilities(device.device).batches),
        finishing_loops_(capabilities(device.device).finishing_loops),
        stream_(&device.stream(0)),
        flusher_(make_flusher(*this)) {
    begin();
  }

  DeviceState& device() const { return device_; }
  /// The stream to which the window is flushed.
  Stream& stream() const { return *stream_; }
  /// Flushes, and selects that stream of the device for later ops.
  void set_stream(Stream& stream);

  /// Adds a node and, if its arguments are recomputable values, those too. Flushes before ops that
  /// cut the window, and afterwards if it is full or in eager mode.
  void record(const Ref<Node>& node, bool cuts_window);
  /// Throws the error that keeps results from being computed, usually MemoryError: these are lost,
  /// writes leave the previous value, and everything else is flushed.
  void flush(const FlushCause& cause) {
    if (nodes_.empty()) return;
    if (flush_observer) [[unlikely]]
      flush_observer->flushing(*this, cause);
    flush_window(*flusher_);
  }
  int64_t size() const { return static_cast<int64_t>(nodes_.size()); }
  /// Ops recorded that are not yet in the process's counter.
  int64_t recorded() const { return recorded_; }
  /// Adds a recomputable value to the window, to be stored.
  void want(Node& node);

  // For the flusher:
  const std::vector<Ref<Node>>& nodes() const { return nodes_; }
  /// Values from outside; Node::index is the position in this list.
  const std::vector<Ref<Node>>& externals() const { return externals_; }
  /// One per tensor argument, per region and per iota.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  const std::vector<uint64_t>& numbers() const { return numbers_; }
  /// The structure: windows with equal keys share a plan.
  std::span<const uint64_t> key() const { return key_.view(); }
  uint64_t epoch() const { return epoch_; }
  /// Whether the device launches several loops as one (StreamBackend::launch_together).
  bool batches() const { return batches_; }
  bool finishing_loops() const { return finishing_loops_; }
  /// Whether an external value was never computed.
  bool has_failed_inputs() const { return has_failed_inputs_; }
  /// Moves all nodes to `nodes`, which must be empty, and starts over, reusing its memory.
  void take(std::vector<Ref<Node>>& nodes);
  /// Adds a node unchanged.
  void add(const Ref<Node>& node);

 private:
  void begin();
  /// The reason to flush the window now, if it is full and may be split.
  std::optional<FlushCause> fullness() const;
  void rematerialize(Node& root, bool must_store);
  void add_key(const Node& node);
  void add_argument(const Argument& argument, const Shape& result, bool fuses);
  void add_shape(const Shape& shape);
  void add_layout(const Layout& layout);

  DeviceState& device_;
  const bool batches_;
  const bool finishing_loops_;
  Stream* stream_;
  const std::shared_ptr<PlanFlusher> flusher_;
  uint64_t epoch_ = 0;
  int64_t recorded_ = 0;
  size_t unread_ = 0, unread_bytes_ = 0;  ///< results that nothing in the window reads
  bool has_failed_inputs_ = false;
  std::vector<Ref<Node>> nodes_;
  std::vector<Ref<Node>> externals_;
  std::vector<int64_t> first_offsets_;  ///< per external: offset of its first use
  std::vector<int64_t> offsets_;
  std::vector<uint64_t> numbers_;
  WordList key_;
};

}  // namespace tide
