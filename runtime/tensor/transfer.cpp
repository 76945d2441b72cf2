// Values that are stored from the start: copies between devices and data from the script.
#include "runtime/tensor/transfer.h"

#include <cstring>

#include "runtime/record/new_node.h"
#include "runtime/record/recorder.h"
#include "runtime/record/replay.h"
#include "runtime/record/wait.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

/// Makes later work of `stream` wait for the work of `writer` up to `ticket`.
void follow(Stream& stream, Stream& writer, uint64_t ticket) {
  if (&stream == &writer || writer.queue->is_past(ticket)) return;
  stream.queue->submit_wait_for(*writer.queue, ticket);
}

CopyKind copy_kind(const Node& source, const Node& destination) {
  if (source.device == destination.device) return CopyKind::within;
  if (source.storage->pinned()) return CopyKind::from_pinned;
  if (source.device->device.is_host()) return CopyKind::to_device;
  if (!destination.device->device.is_host()) return CopyKind::between;
  return destination.storage->pinned() ? CopyKind::to_pinned : CopyKind::to_host;
}

/// Whether a copy goes to the host's memory: then the source's device makes it. A driver's memory
/// is accessible only through its own backend.
bool goes_to_host(const DeviceState& from, const DeviceState& to) {
  return to.device.is_host() || (to.host_readable() && !from.host_readable());
}

/// A copy made by the destination's queue. An error of the source is passed on.
struct Copy {
  DeviceState& from;
  DeviceState& to;
  StreamBackend& stream;  ///< of the destination's queue
  const char* name;       ///< of the op
  CallSite site;
  char* storage;  ///< the block that contains the source
  size_t offset;  ///< of the source in it, in bytes
  void* destination;
  size_t bytes;
  CopyKind kind;
  uint64_t work = 0;  ///< the number of the submission

  void operator()() const {
    const std::optional<ValueError> value_error = from.failures.find(storage);
    if (value_error && value_error->spoils(work))
      return to.failures.set(destination, {value_error->failure, true});
    try {
      if (goes_to_host(from, to)) {
        from.fetch(destination, storage + offset, bytes, kind);
      } else {
        stream.copy(destination, storage + offset, bytes, kind);
        // Other copies end with the ticket: the source is kept until then
        // (DeviceState::keep_until). But another device's memory could be lost meanwhile if that
        // device fails.
        if (kind == CopyKind::between) stream.finish();
      }
    } catch (const std::exception& error) {
      return to.failures.set(destination, {Failure::of_work(name, site, error), true});
    }
    to.failures.clear(destination);
  }
};

/// A block on `to` for a copy. Copies from memory that the host cannot read use pinned memory where
/// worthwhile.
Ref<Storage> allocate_copy(const DeviceState& from, DeviceState& to, const Stream& stream,
                           size_t bytes, const char* name) {
  DeviceState* const pinning =
      to.device.is_host() && !from.host_readable() ? DeviceState::pinning() : nullptr;
  Ref<Storage> storage;
  if (pinning) storage = pinning->try_allocate_pinned(bytes, stream);
  return storage ? storage : to.allocate(bytes, stream, name);
}

/// A copy of x on `to`, queued; in host memory that `pinning` pins, if there is one.
Tensor transfer(const char* name, const Tensor& x, DeviceState& to, DeviceState* pinning) {
  const Tensor dense = record_contiguous(x);
  Node& source = *dense.body().cell->value;
  settle(source);
  Ref<Node> node = new_node(Node::Kind::constant, name, to, source.type, x.shape());
  if (source.state == Node::State::failed) {
    node->state = Node::State::failed;
    node->failure = source.failure;
    return make_tensor(std::move(node));
  }
  DeviceState& from = *source.device;
  Stream& stream = Recorder::of_thread().stream(to);
  follow(stream, from.stream_of(*source.storage), source.ticket);
  const size_t bytes = node->bytes(), block = std::max<size_t>(bytes, 1);
  node->storage = pinning ? pinning->allocate_pinned(block, stream, name)
                          : allocate_copy(from, to, stream, block, name);
  node->state = Node::State::stored;
  const size_t offset = static_cast<size_t>(dense.layout().offset) * size_of(source.type);
  void* destination = node->storage->data;
  Copy copy{from,
            to,
            *stream.backend,
            name,
            current_call_site(),
            static_cast<char*>(source.storage->data),
            offset,
            destination,
            bytes,
            copy_kind(source, *node)};
  node->ticket = stream.queue->submit_task([&](Task& task) {
    task.ops = 1;
    task.bytes = bytes;
    task.name = name;
    task.input = copy.storage;
    task.output = destination;
    copy.work = task.number;
    task.run = copy;
  });
  from.keep_until(source.storage, *stream.queue, node->ticket);
  if (flush_observer) [[unlikely]]
    flush_observer->copied(source, *node);
  return make_tensor(std::move(node));
}

/// A value with its own, uninitialized block.
class UnfilledConstant {
 public:
  using Fill = std::function<void(std::span<std::byte>)>;

  UnfilledConstant(const Shape& shape, DType type, Device device)
      : state_(DeviceState::of(device)),
        stream_(Recorder::of_thread().stream(state_)),
        node_(new_node(Node::Kind::constant, "tensor", state_, type, shape)) {
    node_->storage = state_.allocate(std::max<size_t>(node_->bytes(), 1), stream_, "tensor");
    node_->state = Node::State::stored;
  }

  /// Whether the host may write to the block: earlier uses have finished.
  bool is_free_on_host() const {
    return state_.device.is_host() && stream_.queue->completed() >= stream_.queue->submitted();
  }

  /// Fills the block.
  Tensor write(const Fill& fill) {
    void* const destination = node_->storage->data;
    fill({static_cast<std::byte*>(destination), node_->bytes()});
    state_.failures.clear(destination);
    return make_tensor(std::move(node_));
  }

  /// Fills memory that the queue copies from.
  Tensor upload_filled(const Fill& fill) {
    const auto staged = std::make_shared_for_overwrite<std::byte[]>(node_->bytes());
    fill({staged.get(), node_->bytes()});
    return upload(staged);
  }

  /// Lets the queue copy these elements.
  Tensor upload(std::shared_ptr<const std::byte[]> elements) {
    void* const destination = node_->storage->data;
    const size_t bytes = node_->bytes();
    node_->ticket = stream_.queue->submit_task([&](Task& task) {
      task.ops = 1;
      task.bytes = bytes;
      task.name = node_->name;
      task.output = destination;
      task.run = [&state = state_, &stream = stream_, destination, bytes,
                  elements = std::move(elements)] {
        state.failures.clear(destination);
        stream.backend->copy(destination, elements.get(), bytes,
                             state.device.is_host() ? CopyKind::within : CopyKind::to_device);
      };
    });
    return make_tensor(std::move(node_));
  }

 private:
  DeviceState& state_;
  Stream& stream_;
  Ref<Node> node_;
};

}  // namespace

void settle(Node& node) {
  if (ReplayRecording* recording = ReplayRecording::of_thread()) [[unlikely]]
    recording->note_read(node);
  Window& window = Recorder::of_thread().window(*node.device);
  constexpr FlushCause kCause{FlushCause::Kind::needed, "a copy"};
  window.flush(kCause);
  // A value that others in its window read may have become recomputable there.
  if (node.state != Node::State::recomputable) return;
  window.want(node);
  window.flush(kCause);
}

namespace {

/// x on `to`, in its memory order.
Tensor moved(const char* name, const Tensor& x, DeviceState& to, DeviceState* pinning) {
  if (!x.layout().is_channels_last()) return transfer(name, x, to, pinning);
  const Tensor y = transfer(name, alias(x, with_channels_last(x.layout())), to, pinning);
  y.body().layout = channels_last_layout(x.shape());
  return y;
}

}  // namespace

Tensor record_transfer(const Tensor& x, Device device) {
  return moved("to", x, DeviceState::of(device), nullptr);
}

Tensor record_pinned(const Tensor& x) {
  DeviceState* pinning = DeviceState::pinning();
  const Device host;
  if (!pinning) return x.device().is_host() ? x : record_transfer(x, host);
  return is_pinned(x) ? x : moved("pin_memory", x, DeviceState::of(host), pinning);
}

bool is_pinned(const Tensor& x) {
  const Node& node = *x.body().cell->value;
  return node.storage && node.storage->pinned();
}

void wait_for_transfer(const Tensor& x) { wait_for(*x.body().cell->value, "to"); }

Tensor record_constant(const void* elements, const Shape& shape, DType type, Device device) {
  const size_t bytes = static_cast<size_t>(shape.numel()) * size_of(type);
  const auto staged = std::make_shared_for_overwrite<std::byte[]>(bytes);
  if (bytes) std::memcpy(staged.get(), elements, bytes);
  return record_constant(std::shared_ptr<const std::byte[]>(staged), shape, type, device);
}

Tensor record_constant(std::shared_ptr<const std::byte[]> elements, const Shape& shape, DType type,
                       Device device) {
  return UnfilledConstant(shape, type, device).upload(std::move(elements));
}

Tensor record_filled(const Shape& shape, DType type, Device device,
                     const std::function<void(std::span<std::byte>)>& fill) {
  UnfilledConstant constant(shape, type, device);
  return constant.is_free_on_host() ? constant.write(fill) : constant.upload_filled(fill);
}

}  // namespace tide
