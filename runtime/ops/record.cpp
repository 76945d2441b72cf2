// Recording of ops: checks, nodes, and writes to cells.
#include "runtime/ops/record.h"

#include <cstring>

#include "runtime/core/error.h"
#include "runtime/ops/autograd.h"
#include "runtime/ops/elementwise.h"
#include "runtime/tensor/body.h"

namespace tide {
namespace {

/// The bits of a number as kernels take it, in the compute type of `type`.
uint64_t bits_of(Number number, DType type) {
  const auto from_double = [](double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
  switch (compute_type(type)) {
    case DType::f64:
      return from_double(number.as_double());
    case DType::f32: {
      const auto value = static_cast<float>(number.as_double());
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      return bits;
    }
    case DType::boolean:
      return number.type() == DType::f64 ? number.as_double() != 0 : number.as_integer() != 0;
    case DType::u8:
      return static_cast<uint8_t>(number.as_integer());
    default:
      return static_cast<uint64_t>(number.as_integer());
  }
}

/// Throws ShapeError if the bytes of so many elements cannot be counted.
void check_countable(const char* name, const Shape& shape) {
  constexpr int64_t kMost = INT64_MAX / 8;
  int64_t count = 1;
  for (int64_t size : shape)
    if (size > 0 && (__builtin_mul_overflow(count, size, &count) || count > kMost))
      throw ShapeError(std::string(name) +
                       ": no machine can hold so many elements: " + shape.text());
}

Ref<Node> new_node(Node::Kind kind, const char* name, DeviceState& device, DType type,
                   const Shape& shape) {
  check_countable(name, shape);
  Ref<Node> node = new Node;
  node->kind = kind;
  node->name = name;
  node->device = &device;
  node->type = type;
  node->shape = shape;
  node->site = current_call_site();
  return node;
}

void record_node(const Ref<Node>& node, bool heavy = false) {
  Recorder::of_thread().window(*node->device).record(node, heavy);
}

/// The device that all tensors lie on; cpu tensors without dimensions follow the others.
DeviceState& common_device(const char* name, std::span<const TensorOrNumber> arguments) {
  DeviceState* device = nullptr;
  const Tensor* first = nullptr;
  for (const auto& argument : arguments) {
    if (!argument.tensor.defined()) continue;
    DeviceState* own = argument.tensor.body().cell->device;
    if (!device ||
        (device->device.kind == DeviceKind::cpu && first->rank() == 0 && own != device)) {
      device = own;
      first = &argument.tensor;
    } else if (own != device &&
               !(own->device.kind == DeviceKind::cpu && argument.tensor.rank() == 0)) {
      throw DeviceError(
          std::string(name) + ": tensors lie on different devices: " + first->shape().text() +
          " on " + device->device.name() + " and " + argument.tensor.shape().text() + " on " +
          own->device.name() + "; move one with :to(\"" + device->device.name() + "\")");
    }
  }
  return *device;
}

Tensor converted(const char* name, const Tensor& x, DType type) {
  if (x.dtype() == type) return x;
  return record_map(LightOp::convert, name, type, x.dtype(), {TensorOrNumber(x)});
}

}  // namespace

Tensor record_map(LightOp op, const char* name, DType result_type, DType operand_type,
                  std::span<const TensorOrNumber> arguments) {
  DeviceState& device = common_device(name, arguments);
  Shape shape;
  bool first = true;
  for (const auto& argument : arguments) {
    if (!argument.tensor.defined()) continue;
    shape = first ? argument.tensor.shape() : broadcast(name, shape, argument.tensor.shape());
    first = false;
  }
  Ref<Node> node = new_node(Node::Kind::map, name, device, result_type, shape);
  node->op = static_cast<OpCode>(op);
  node->operand_type = operand_type;
  node->arity = static_cast<uint8_t>(arguments.size());
  for (size_t j = 0; j < arguments.size(); ++j) {
    const auto& [tensor, number] = arguments[j];
    const DType wanted = argument_type(op, static_cast<int>(j)).value_or(operand_type);
    if (!tensor.defined()) {
      node->arguments[j].number = bits_of(number, wanted);
      continue;
    }
    const TensorBody& body = tensor.body();
    if (body.cell->device == &device &&
        (op == LightOp::convert || body.cell->value->type == wanted)) {
      node->arguments[j] = argument_of(tensor);
      continue;
    }
    Tensor input = op == LightOp::convert ? tensor : converted(name, tensor, wanted);
    if (input.body().cell->device != &device) input = record_transfer(input, device.device);
    node->arguments[j] = argument_of(input);
  }
  record_node(node);
  return make_tensor(std::move(node));
}

Tensor record_map(LightOp op, const char* name, DType result_type, DType operand_type,
                  std::initializer_list<TensorOrNumber> arguments) {
  return record_map(op, name, result_type, operand_type,
                    std::span(arguments.begin(), arguments.size()));
}

Tensor record_ramp(LightOp op, const char* name, const Layout& ramp, DType result_type,
                   DType operand_type, Device device, std::initializer_list<Number> numbers) {
  Ref<Node> node =
      new_node(Node::Kind::ramp, name, DeviceState::of(device), result_type, ramp.shape);
  node->op = static_cast<OpCode>(op);
  node->operand_type = operand_type;
  node->ramp = std::make_unique<Layout>(ramp);
  for (const Number& number : numbers)
    node->arguments[node->arity++].number = bits_of(number, operand_type);
  record_node(node);
  return make_tensor(std::move(node));
}

Tensor record_reduce(Reduction reduction, const char* name, const Tensor& x, int first, int last) {
  const bool adds = reduction == Reduction::sum || reduction == Reduction::prod;
  const DType type = !adds                    ? x.dtype()
                     : is_half(x.dtype())     ? DType::f32
                     : is_floating(x.dtype()) ? x.dtype()
                                              : DType::i64;
  Shape shape = x.shape();
  int64_t length = 1;
  for (int d = last; d >= first; --d) {
    length *= shape[d];
    shape.erase(d);
  }
  DeviceState& device = *x.body().cell->device;
  if (length == 0) {
    // Of the extremes, only those of truth values have a beginning: all of nothing is true, any of
    // it false.
    if (!adds && type != DType::boolean)
      throw ShapeError(std::string(name) + ": nothing to reduce: " + x.shape().text() +
                       " has no elements");
    return record_ramp(
        LightOp::fill, name, Layout(shape), type, type, device.device,
        {Number(int64_t{reduction == Reduction::prod || reduction == Reduction::min})});
  }
  Tensor input = type == x.dtype() || is_half(x.dtype()) ? x : converted(name, x, type);
  if (length == 1) {
    Layout layout = input.layout();
    layout.shape = shape;
    int kept = 0;
    for (int d = 0; d < x.rank(); ++d)
      if (d < first || d > last) layout.strides[kept++] = input.layout().strides[d];
    return record_map(LightOp::convert, name, type, x.dtype(),
                      {TensorOrNumber(make_view(input, layout))});
  }
  // The kernel walks the run with one stride.
  const Layout& layout = input.layout();
  int64_t stride = 0, span = 1;
  for (int d = last; d >= first; --d) {
    if (layout.shape[d] == 1) continue;
    if (span > 1 && layout.strides[d] != stride * span) {
      input =
          record_map(LightOp::convert, name, input.dtype(), input.dtype(), {TensorOrNumber(input)});
      break;
    }
    if (span == 1) stride = layout.strides[d];
    span *= layout.shape[d];
  }
  Ref<Node> node = new_node(Node::Kind::reduce, name, device, type, shape);
  node->reduction = reduction;
  node->first = static_cast<uint8_t>(first);
  node->last = static_cast<uint8_t>(last);
  node->arity = 1;
  node->arguments[0] = argument_of(input);
  record_node(node);
  return make_tensor(std::move(node));
}

std::vector<Tensor> record_native(NativeOp op, const char* name, std::span<const Tensor> inputs,
                                  std::span<const NativeResult> outputs,
                                  std::span<const int64_t> attributes) {
  static constexpr bool kHeavy[] = {
#define TIDE_NATIVE(op_name, heavy) heavy,
#include "runtime/ops/native_ops.def"
#undef TIDE_NATIVE
  };
  std::vector<TensorOrNumber> operands(inputs.begin(), inputs.end());
  DeviceState& device = common_device(name, operands);
  Ref<Node> node = new_node(Node::Kind::native, name, device, outputs[0].type, outputs[0].shape);
  node->native = std::make_unique<NativeDetails>();
  node->native->op = op;
  node->native->attributes.assign(attributes.begin(), attributes.end());
  for (const Tensor& input : inputs)
    node->native->inputs.push_back(argument_of(
        input.body().cell->device == &device ? input : record_transfer(input, device.device)));
  record_node(node, kHeavy[static_cast<int>(op)]);
  std::vector<Tensor> results{make_tensor(node)};
  for (size_t k = 1; k < outputs.size(); ++k) {
    Ref<Node> part = new_node(Node::Kind::part, name, device, outputs[k].type, outputs[k].shape);
    part->arity = 1;
    part->arguments[0].node = node;
    record_node(part);
    results.push_back(make_tensor(std::move(part)));
  }
  if (Recorder::of_thread().eager) Recorder::of_thread().hand_over();
  return results;
}

namespace {

void record_write(const char* name, const Tensor& x, const TensorOrNumber& value, bool fills) {
  Cell& cell = *x.body().cell;
  DeviceState& device = *cell.device;
  const Ref<Node> old = cell.value;
  const DType type = old->type;
  const bool whole = x.layout().is_dense() && x.numel() == old->shape.numel();
  Argument source;
  Tensor input = value.tensor;
  // A number would go on in the compute type, as if it had not been rounded to the tensor's.
  if (!input.defined() && is_half(type))
    input = record_ramp(LightOp::fill, name, Layout(Shape()), type, type, device.device,
                        {value.number});
  if (input.defined()) {
    if (input.body().cell->device != &device) {
      if (input.device().kind != DeviceKind::cpu || input.rank() != 0)
        common_device(name, std::array{TensorOrNumber(x), value});
      input = record_transfer(input, device.device);
    }
    if (!(broadcast(name, input.shape(), x.shape()) == x.shape()))
      throw ShapeError(std::string(name) + ": a value of shape " + input.shape().text() +
                       " does not fit into " + x.shape().text());
    if (whole) input = make_view(input, input.layout().broadcast_to(x.shape()));
    source = argument_of(converted(name, input, type));
  } else {
    source.number = bits_of(value.number, type);
  }
  Ref<Node> node =
      new_node(whole ? Node::Kind::assign : Node::Kind::write, name, device, type, old->shape);
  node->operand_type = type;
  node->fills = fills;
  node->arity = 2;
  if (whole && source.node && !(x.shape() == old->shape)) {
    // The cell keeps its shape: the same elements in the same order.
    Layout layout = source.view ? *source.view : Layout(source.node->shape), reshaped;
    if (!layout.reshape(old->shape, &reshaped)) {
      const Tensor dense = record_contiguous(make_view(make_tensor(source.node), layout));
      reshaped = Layout(old->shape);
      source.node = dense.body().cell->value;
    }
    source.view = std::make_unique<Layout>(reshaped);
  }
  if (!whole) node->ramp = std::make_unique<Layout>(x.layout());
  node->arguments[0] = std::move(source);
  node->arguments[1].node = old;
  record_node(node);
  cell.value = std::move(node);
}

}  // namespace

void record_write(const char* name, const Tensor& x, const TensorOrNumber& value) {
  record_write(name, x, value, false);
}

void record_fill(const char* name, const Tensor& x, const TensorOrNumber& value) {
  record_write(name, x, value, true);
}

namespace {

/// A copy of x on `to`, queued; in host memory that `pinning` pins, if there is one.
Tensor transfer(const char* name, const Tensor& x, DeviceState& to, DeviceState* pinning) {
  const Tensor dense = record_contiguous(x);
  Node& source = *dense.body().cell->value;
  DeviceState& from = *source.device;
  Window& window = Recorder::of_thread().window(from);
  window.hand_over();
  // What others in its window read may have become a recipe there.
  if (source.state == Node::State::recipe) {
    window.want(source);
    window.hand_over();
  }
  Ref<Node> node = new_node(Node::Kind::constant, name, to, source.type, x.shape());
  if (source.state == Node::State::failed) {
    node->state = Node::State::failed;
    node->failure = source.failure;
    return make_tensor(std::move(node));
  }
  const size_t bytes = node->bytes(), block = std::max<size_t>(bytes, 1);
  Stream& stream = Recorder::of_thread().stream(to);
  Stream& writer = from.stream_of(source);
  const uint64_t ticket = source.ticket, generation = to.loss.generation();
  if (&stream != &writer && writer.queue.completed() < ticket)
    stream.queue.submit([&](Submission& submission) {
      submission.task = [&stream, &writer, ticket] { stream.queue.follow(writer.queue, ticket); };
    });
  node->storage =
      pinning ? pinning->allocate_pinned(block, stream, name) : to.allocate(block, stream, name);
  node->state = Node::State::stored;
  const size_t offset = static_cast<size_t>(dense.layout().offset) * size_of(source.type);
  void* destination = node->storage->data;
  char* storage = static_cast<char*>(source.storage->data);
  const CallSite site = current_call_site();
  const CopyKind kind = &from == &to                          ? CopyKind::within
                        : source.storage->pinned()            ? CopyKind::from_pinned
                        : from.device.kind == DeviceKind::cpu ? CopyKind::to_device
                        : to.device.kind == DeviceKind::cpu   ? CopyKind::to_host
                                                              : CopyKind::between;
  // The side that is not the host's pays for the transfer, on the destination's queue. A driver's
  // memory is reached through its own backend only.
  const bool host_side = to.device.kind == DeviceKind::cpu ||
                         (to.backend->host_readable() && !from.backend->host_readable());
  Backend& backend = host_side ? *from.backend : stream.backend;
  node->ticket = stream.queue.submit([&](Submission& submission) {
    submission.ops = 1;
    submission.generation = generation;
    submission.task_input = storage;
    submission.task_output = destination;
    submission.task = [&from, &to, &backend, name, destination, storage, offset, bytes, kind,
                       site] {
      const auto held = &from == &to ? std::shared_lock<std::shared_mutex>() : from.loss.hold();
      Ref<Failure> failure;
      const auto taint = from.failures.find(storage);
      if (taint && taint->lost) {
        failure = taint->failure;
      } else {
        try {
          backend.copy(destination, storage + offset, bytes, kind);
          backend.finish();
          // A notice goes with the value that is copied.
          if (taint && !taint->failure->read)
            to.failures.set(destination, *taint);
          else
            to.failures.clear(destination);
          return;
        } catch (const std::exception& error) {
          failure = new Failure;
          failure->what = std::string(name) + ": " + error.what();
          failure->op = name;
          failure->site = site;
        }
      }
      to.failures.set(destination, {failure, true});
    };
  });
  from.keep_until(source.storage, stream.queue, node->ticket);
  return make_tensor(std::move(node));
}

}  // namespace

Tensor record_transfer(const Tensor& x, Device target) {
  return transfer("to", x, DeviceState::of(target), nullptr);
}

Tensor record_pinned(const Tensor& x) {
  DeviceState* pinning = DeviceState::pinning();
  if (!pinning || is_pinned(x)) return x;
  return transfer("pin_memory", x, DeviceState::of(x.device()), pinning);
}

bool is_pinned(const Tensor& x) {
  const Node& node = *x.body().cell->value;
  return node.storage && node.storage->pinned();
}

void wait_for_transfer(const Tensor& x) { wait_for(*x.body().cell->value, "to"); }

Tensor record_constant(const void* elements, const Shape& shape, DType type, Device device) {
  DeviceState& state = DeviceState::of(device);
  Ref<Node> node = new_node(Node::Kind::constant, "tensor", state, type, shape);
  const size_t bytes = node->bytes();
  Stream& stream = Recorder::of_thread().stream(state);
  const uint64_t generation = state.loss.generation();
  node->storage = state.allocate(std::max<size_t>(bytes, 1), stream, "tensor");
  node->state = Node::State::stored;
  auto staged = std::make_shared<std::vector<std::byte>>(bytes);
  if (bytes) std::memcpy(staged->data(), elements, bytes);
  void* destination = node->storage->data;
  node->ticket = stream.queue.submit([&](Submission& submission) {
    submission.ops = 1;
    submission.generation = generation;
    submission.name = node->name;
    submission.task_output = destination;
    submission.task = [&state, &stream, destination, staged] {
      state.failures.clear(destination);
      stream.backend.copy(
          destination, staged->data(), staged->size(),
          state.device.kind == DeviceKind::cpu ? CopyKind::within : CopyKind::to_device);
    };
  });
  return make_tensor(std::move(node));
}

Tensor make_view(const Tensor& x, const Layout& layout) {
  check_countable("view", layout.shape);
  Ref<TensorBody> body = new TensorBody;
  body->cell = x.body().cell;
  body->layout = layout;
  Tensor view(std::move(body));
  if (is_floating(x.dtype())) share_group(x, view);
  return view;
}

Tensor record_contiguous(const Tensor& x) {
  if (x.layout().is_contiguous()) return x;
  return record_map(LightOp::convert, "contiguous", x.dtype(), x.dtype(), {TensorOrNumber(x)});
}

}  // namespace tide
