// What one thread has recorded for one device, until it is flushed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/device_state.h"
#include "runtime/record/flush_observer.h"
#include "runtime/record/node.h"
#include "runtime/record/word_list.h"

namespace tide {

class Window;

/// Makes a plan of what a window holds and submits it: a layer above this one.
class Flusher {
 public:
  virtual ~Flusher() = default;
  /// Window::flush, of a window that is not empty.
  virtual void flush() = 0;
};

/// The flusher of a new window. registry.cpp says which kind it is.
std::unique_ptr<Flusher> make_flusher(Window& window);

/// Nodes that wait to be flushed. All of them go to one stream.
class Window {
 public:
  /// Ops that a window holds before it is flushed; and results that nothing in it reads, which will
  /// be stored all at once: so many bytes of at least so many results (a chain has few, of any
  /// size).
  static constexpr size_t kMostOps = 128;
  static constexpr size_t kMostUnreadBytes = size_t{64} << 20;
  static constexpr size_t kFewUnread = 8;

  explicit Window(DeviceState& device)
      : device_(device),
        batches_(device.backend->async_stream() != nullptr),
        stream_(&device.stream(0)),
        flusher_(make_flusher(*this)) {
    begin();
  }

  DeviceState& device() const { return device_; }
  /// The stream that the window is flushed to.
  Stream& stream() const { return *stream_; }
  /// Flushes, and what is recorded from now on goes to that stream of the device.
  void set_stream(Stream& stream);

  /// Adds a node: its arguments are brought into the window where they are recomputable values.
  /// Flushes before ops that cut the window, and afterwards when it is full or the mode is eager.
  void record(const Ref<Node>& node, bool cuts_window);
  /// Throws what keeps results from being computed, MemoryError above all: these are lost then,
  /// writes leave the value that was before, and all else is flushed.
  void flush(const FlushCause& cause) {
    if (nodes_.empty()) return;
    if (flush_observer) [[unlikely]]
      flush_observer->flushing(*this, cause);
    flusher_->flush();
  }
  int64_t size() const { return static_cast<int64_t>(nodes_.size()); }
  /// Ops recorded that the process's counter does not have yet.
  int64_t recorded() const { return recorded_; }
  /// Puts a recomputable value into the window again, to be stored.
  void want(Node& node);

  // For the flusher:
  const std::vector<Ref<Node>>& nodes() const { return nodes_; }
  /// Values from outside; Node::index is the place here.
  const std::vector<Ref<Node>>& externals() const { return externals_; }
  /// One per tensor argument, per region and per iota.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  const std::vector<uint64_t>& numbers() const { return numbers_; }
  /// The structure: equal keys, equal plans.
  std::span<const uint64_t> key() const { return key_.view(); }
  uint64_t epoch() const { return epoch_; }
  /// Whether the device launches several loops as one (AsyncStream::launch_together).
  bool batches() const { return batches_; }
  /// Whether a value from outside was never computed.
  bool has_failed_inputs() const { return has_failed_inputs_; }
  /// Takes all nodes out and begins anew, in the memory of `nodes`, which is empty.
  void take(std::vector<Ref<Node>>& nodes);
  /// Adds a node as it is.
  void add(const Ref<Node>& node);

 private:
  void begin();
  /// What makes the window be flushed now, if it need not go on whole.
  std::optional<FlushCause> fullness() const;
  void rematerialize(Node& root, bool wanted);
  void add_key(const Node& node);
  void add_argument(const Argument& argument, const Shape& result);
  void add_shape(const Shape& shape);
  void add_layout(const Layout& layout);

  DeviceState& device_;
  const bool batches_;
  Stream* stream_;
  const std::unique_ptr<Flusher> flusher_;
  uint64_t epoch_ = 0;
  int64_t recorded_ = 0;
  size_t unread_ = 0, unread_bytes_ = 0;  ///< results that nothing in the window reads
  bool has_failed_inputs_ = false;
  std::vector<Ref<Node>> nodes_;
  std::vector<Ref<Node>> externals_;
  std::vector<int64_t> first_offsets_;  ///< per external: that of its first use
  std::vector<int64_t> offsets_;
  std::vector<uint64_t> numbers_;
  WordList key_;
};

}  // namespace tide
