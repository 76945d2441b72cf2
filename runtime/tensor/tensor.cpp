// Tensors: what is known at once, and reading back.
#include "runtime/tensor/tensor.h"

#include <cstring>

#include "runtime/core/error.h"
#include "runtime/profile/recorder.h"
#include "runtime/record/wait.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/record.h"

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

void Tensor::read(void* destination, const char* reason) const {
  if (numel() == 0) return;
  if (!layout().is_contiguous()) return record_contiguous(*this).read(destination, reason);
  Node& node = *body_->cell->value;
  DeviceState& device = *node.device;
  const size_t element = size_of(node.type);
  const auto offset = static_cast<size_t>(layout().offset) * element;
  const size_t bytes = static_cast<size_t>(numel()) * element;
  const uint64_t generation = device.loss.generation();
  const char* address = static_cast<const char*>(wait_for(node, reason));
  if (device.device.is_host()) {
    std::memcpy(destination, address + offset, bytes);
    return;
  }
  Stream& stream = device.stream_of(*node.storage);
  profile::Span span(profile::EventKind::wait, reason);
  if (span) set_site(span.event(), current_call_site());
  const uint64_t ticket = stream.queue->submit_task([&](Task& task) {
    task.bytes = bytes;
    task.generation = generation;
    task.name = reason;
    task.run = [&stream, destination, address, offset, bytes] {
      stream.backend.copy(destination, address + offset, bytes, CopyKind::to_host);
      stream.backend.finish();
    };
    task.output = destination;
  });
  // The destination is the caller's: the copy must be over before this returns, interrupted or not.
  stream.queue->wait_uninterrupted(ticket);
  if (const auto failure = device.failures.clear(destination)) raise(*failure, reason);
}

}  // namespace tide
