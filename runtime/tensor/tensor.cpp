// Tensors: metadata, and reading values.
#include "runtime/tensor/tensor.h"

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/profile/recorder.h"
#include "runtime/record/wait.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {

TensorBody::~TensorBody() = default;

void Counting<TensorBody>::retain(const TensorBody* body) { body->retain(); }
void Counting<TensorBody>::release(const TensorBody* body) { body->release(); }

const Shape& Tensor::shape() const { return body_->layout.shape; }
const Layout& Tensor::layout() const { return body_->layout; }
DType Tensor::dtype() const { return body_->cell->value->type; }
Device Tensor::device() const { return body_->cell->device->device; }

Tensor make_tensor(Ref<Node> node) {
  const Node& value = *node;
  return Tensor(new TensorBody(new Cell(std::move(node), *value.device), value.shape));
}

Tensor snapshot(const Tensor& x) {
  const Cell& cell = *x.body().cell;
  return Tensor(new TensorBody(new Cell(cell.value, *cell.device), x.layout()));
}

Argument argument_of(const Tensor& x) {
  const TensorBody& body = x.body();
  Argument argument;
  argument.node = body.cell->value;
  if (!(body.layout.shape == argument.node->shape) || !body.layout.is_dense())
    argument.view = std::make_unique<Layout>(body.layout);
  return argument;
}

namespace {

/// Reads bytes of a device value into host memory. A small copy is queued right after the work that
/// computes it, so that the host waits only once.
void read_from_device(Node& node, size_t offset, size_t bytes, void* destination,
                      const char* reason) {
  constexpr size_t kFew = 4096;
  DeviceState& device = *node.device;
  queue_value(node, reason);
  Stream& stream = device.stream_of(*node.storage);
  const bool at_once =
      bytes <= kFew && stream.queue->completed() < node.ticket && !engine::waits_are_errors();
  // An interrupt during the work returns before the copy.
  const auto room = std::make_shared<std::vector<std::byte>>(at_once ? bytes : 0);
  void* const target = at_once ? room->data() : destination;
  if (!at_once) wait_for(node, reason);
  profile::Span span(profile::EventKind::wait, reason);
  if (span) set_site(span.event(), current_call_site());
  const char* const source = static_cast<const char*>(node.storage->data) + offset;
  device.failures.clear(target);
  const uint64_t ticket = stream.queue->submit_task([&](Task& task) {
    task.bytes = bytes;
    task.name = reason;
    task.run = [&stream, room, target, source, bytes] {
      stream.backend->copy(target, source, bytes, CopyKind::to_host);
    };
    task.output = target;
  });
  if (at_once) {
    try {
      wait_for(stream, ticket, reason, {node.name, node.site});
    } catch (const Interrupted&) {
      device.keep_until(node.storage, *stream.queue, ticket);
      throw;
    }
  } else {
    // The destination belongs to the caller: the copy must finish before this returns, even if
    // interrupted.
    stream.queue->wait_uninterrupted(ticket);
  }
  const auto failure = device.failures.clear(target);
  // A copy fails together with the value, whose error is reported.
  if (failure && device.failures.find_unreported(node.storage->data)) failure->report();
  check_value(node, reason);
  if (failure) raise(*failure, reason);
  if (at_once) std::memcpy(destination, target, bytes);
}

}  // namespace

void Tensor::read(void* destination, const char* reason) const {
  if (numel() == 0) return;
  if (!layout().is_contiguous()) return record_contiguous(*this).read(destination, reason);
  Node& node = *body_->cell->value;
  const size_t element = size_of(node.type);
  const auto offset = static_cast<size_t>(layout().offset) * element;
  const size_t bytes = static_cast<size_t>(numel()) * element;
  if (!node.device->device.is_host())
    return read_from_device(node, offset, bytes, destination, reason);
  std::memcpy(destination, static_cast<const char*>(wait_for(node, reason)) + offset, bytes);
}

}  // namespace tide
