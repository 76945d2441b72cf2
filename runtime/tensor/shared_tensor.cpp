// Passes the value of a tensor to another thread.
#include "runtime/tensor/shared_tensor.h"

#include <utility>

#include "runtime/record/new_node.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/transfer.h"

namespace tide {

SharedTensor::SharedTensor(const Tensor& x)
    : device_(&DeviceState::of(x.device())), type_(x.dtype()), layout_(x.layout()) {
  Node& node = *x.body().cell->value;
  settle(node);
  shape_ = node.shape;
  storage_ = node.storage;
  ticket_ = node.ticket;
  failure_ = node.failure;
}

Tensor SharedTensor::tensor() const {
  Ref<Node> node = new_node(Node::Kind::constant, "tensor", *device_, type_, shape_);
  node->state = storage_ ? Node::State::stored : Node::State::failed;
  node->storage = storage_;
  node->ticket = ticket_;
  node->failure = failure_;
  return Tensor(Ref<TensorBody>(new TensorBody(new Cell(std::move(node), *device_), layout_)));
}

}  // namespace tide
