// Recording: nodes collect in the window of their device until it is flushed.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/memory.h"
#include "runtime/execute/queue.h"
#include "runtime/plan/plan.h"
#include "runtime/record/node.h"
#include "runtime/record/word_list.h"

namespace tide {

/// A stream of a device: a queue of its own.
struct Stream {
  Stream(DeviceState& device, uint8_t number, std::unique_ptr<Backend> own, Backend& backend);

  DeviceState& device;
  const uint8_t number;                        ///< 0: what work goes to where nothing else is said
  const std::unique_ptr<Backend> own_backend;  ///< null: the device's
  Backend& backend;
  Queue queue;
};

/// A device in use: its backend, memory and streams. Lives until the process ends.
class DeviceState {
 public:
  explicit DeviceState(Device device, std::unique_ptr<Backend> backend, int number);

  const Device device;
  const int number;  ///< 0, 1, ...: place in the recorders' lists of windows
  const std::unique_ptr<Backend> backend;
  Allocator allocator;
  Allocator pinned;  ///< of the host's memory, for transfers to this device
  ErrorTable failures;
  DeviceLoss loss{failures};

  Stream& stream(size_t place) const { return *streams_[place]; }
  /// Whether there is a stream besides the first.
  bool has_streams() const { return stream_count_.load(std::memory_order_relaxed) > 1; }
  /// Those there are.
  std::vector<Stream*> streams() const;
  /// A new one; when there are kMostStreams, one that there is already, each in turn.
  Stream& add_stream();
  /// The one that writes the node's value, which is stored.
  Stream& stream_of(const Node& node) const { return stream(node.storage->stream); }
  /// Waits until all streams are idle, whatever interrupts.
  void wait_uninterrupted();

  /// A block for values that the stream writes, or null if there is no room.
  Ref<Storage> try_allocate(size_t bytes, const Stream& stream);
  /// Drops what nobody can reach and gives cached blocks back. Waits for the queues. Not while a
  /// window is bound: its steps use blocks that are free again by then.
  void reclaim();
  /// Gives cached blocks and scratch memory back. Waits for the queues.
  void empty_cache();
  /// From the queue's thread of a stream, which has done all work before that of this number: gives
  /// back the cached blocks that nobody uses.
  void trim_unused(const Stream& stream, uint64_t work);
  /// The same for all devices whose memory is the host's.
  static void empty_host_caches();
  /// A block, with room made for it if need be. Throws MemoryError that says what holds the memory.
  Ref<Storage> allocate(size_t bytes, const Stream& stream, const char* op);
  [[noreturn]] void raise_out_of_memory(size_t bytes, const char* op) const;
  /// A block of pinned host memory, for values that a stream of the cpu writes. Throws MemoryError.
  Ref<Storage> allocate_pinned(size_t bytes, const Stream& stream, const char* op);
  /// Keeps a block from reuse until a queue other than its stream's has come to `ticket`.
  void keep_until(Ref<Storage> storage, const Queue& reader, uint64_t ticket);
  /// Gives up those that were read.
  void let_go();

  /// The state of a device, made on first use. Throws DeviceError if there is no such device.
  static DeviceState& of(Device device);
  /// Those in use.
  static std::vector<DeviceState*> all();
  /// The streams of all devices in use.
  static std::vector<Stream*> all_streams();
  /// The accelerator that pins host memory, for itself and all others: CUDA's first, else the first
  /// simulated one. Null if there is none.
  static DeviceState* pinning();
  /// The end of the process: what is queued is dropped, what runs ends.
  static void rest();

 private:
  std::vector<void*> begin_again();

  struct Kept {
    Ref<Storage> storage;
    uint64_t ticket;
  };
  struct Reader {
    const Queue* queue;
    std::deque<Kept> kept;  ///< in the order of the queue, as good as
  };
  std::mutex streams_mutex_;
  std::array<std::unique_ptr<Stream>, kMostStreams> streams_;
  std::atomic<size_t> stream_count_{1};
  size_t added_ = 0;
  std::mutex kept_mutex_;
  std::vector<Reader> readers_;
  std::atomic<size_t> kept_{0};
};

/// What one thread has recorded for one device and not flushed. All of it goes to one stream.
class Window {
 public:
  explicit Window(DeviceState& device) : device_(device), stream_(&device.stream(0)) { begin(); }

  /// The stream that the window is flushed to.
  Stream& stream() const { return *stream_; }
  /// Flushes, and what is recorded from now on goes to that stream of the device.
  void set_stream(Stream& stream);

  /// Adds a node: its arguments are brought into the window where they are recomputable values.
  /// Flushes before ops that cut the window, and afterwards when the window is full or the mode is
  /// eager.
  void record(const Ref<Node>& node, bool cuts_window);
  /// Throws what keeps results from being computed, MemoryError above all: these are lost then,
  /// writes leave the value that was before, and all else is flushed.
  void flush();
  bool empty() const { return nodes_.empty(); }
  int64_t size() const { return static_cast<int64_t>(nodes_.size()); }
  /// Ops recorded that the process's counter does not have yet.
  int64_t recorded() const { return recorded_; }
  /// Puts a recomputable value into the window again, to be stored.
  void want(Node& node);

 private:
  /// Thrown inside `bind` when a block cannot be had.
  struct OutOfMemory {
    size_t bytes;
    const Node* node;  ///< of the window, which keeps it
  };

  void begin();
  uint64_t submit(Plan& plan);
  void follow_inputs();
  void keep_inputs(uint64_t ticket);
  Ref<Storage> take(size_t bytes, const Node& node);
  void rematerialize(Node& root);
  void add(const Ref<Node>& node);
  void add_key(const Node& node);
  void add_argument(const Argument& argument, const Shape& result);
  void add_shape(const Shape& shape);
  void add_layout(const Layout& layout);
  void bind(Plan& plan, Submission& submission);
  void bind_step(const Plan& plan, const Step& step, Submission& submission);
  void take_outputs(const Plan& plan, const Step& step, BoundStep& bound);
  bool held_by_window_alone(const Plan& plan, const BufferUse& value);
  void count_holders(const Plan& plan);
  Storage* storage_of(const BufferUse& use) const;
  std::vector<Ref<Node>> empty_window();
  void do_with_less_memory(const OutOfMemory& wanted);
  void flush_in_turn(std::vector<Ref<Node>> nodes, const Ref<Failure>& failure);
  void leave_out_lost();
  void give_up_all(const char* what);
  void settle(const Plan& plan, uint64_t ticket);

  DeviceState& device_;
  Stream* stream_;
  std::array<uint64_t, kMostStreams> followed_{};  ///< per stream: the ticket that ours comes after
  std::vector<Ref<Storage>> foreign_;              ///< inputs that other streams write
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
  std::vector<Ref<Storage>> temporaries_;
  /// Owners outside this window, once counted: of each external, and of each node.
  std::vector<int64_t> holders_, node_holders_;
  bool holders_counted_ = false;
};

/// The windows of a thread.
class Recorder {
 public:
  static Recorder& of_thread();
  /// On the first thread this comes before all static objects go, those of plugins included: the
  /// queues, which use them, are brought to rest.
  ~Recorder();
  Window& window(DeviceState& device);
  /// The stream that work for the device goes to.
  Stream& stream(DeviceState& device) { return window(device).stream(); }
  void flush();
  /// Ops in windows.
  int64_t pending_ops() const;
  /// Ops of these windows that `counters` does not have yet.
  int64_t recorded_ops() const;

  bool eager;
  engine::StreamChoice streams;
  bool all_or_nothing =
      false;               ///< windows flushed now run whole or not at all, and are not cut by size
  bool cancelled = false;  ///< windows flushed now do not run
  bool must_run = false;   ///< windows flushed now run in any case, at the second try if need be

 private:
  Recorder();
  std::vector<std::unique_ptr<Window>> windows_;
};

/// Waits for the node's value and returns its address on its device. The one place that keeps the
/// record of waits. Throws what went wrong when it was computed.
void* wait_for(Node& node, const char* reason);
/// Waits until the stream has come to the ticket; part of wait_for, and of synchronize.
void wait_for(Stream& stream, uint64_t ticket, const char* reason);
/// Throws the failure as the error that its reader sees.
[[noreturn]] void raise(const Failure& failure, const char* reason);

/// Counters of the process; windows add to them when they are flushed.
struct Counters {
  std::atomic<int64_t> recorded{0}, windows{0}, plans{0};
  std::atomic<uint64_t> allocated_bytes{0};
};
extern Counters counters;

}  // namespace tide
