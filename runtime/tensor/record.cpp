// Recording of ops: checks, nodes, and writes to cells.
#include "runtime/tensor/record.h"

#include <bit>

#include "runtime/ir/math/math_basic.h"
#include "runtime/ir/math/reference_value.h"
#include "runtime/record/new_node.h"
#include "runtime/record/recorder.h"
#include "runtime/record/replay.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The bits of a number as kernels read it, in the compute type of `type`.
uint64_t bits_of(Number number, DType type) {
  switch (compute_type(type)) {
    case DType::f64:
      return std::bit_cast<uint64_t>(number.as_double());
    case DType::f32:
      return std::bit_cast<uint32_t>(static_cast<float>(number.as_double()));
    case DType::boolean:
      return number.type() == DType::f64 ? number.as_double() != 0 : number.as_integer() != 0;
    case DType::u8:
      return static_cast<uint8_t>(number.as_integer());
    default:
      return static_cast<uint64_t>(number.as_integer());
  }
}

/// As above, for a number that becomes an element: for narrow types it is rounded only once.
uint64_t element_bits(Number number, DType type) {
  if (!is_narrow(type)) return bits_of(number, type);
  return std::bit_cast<uint32_t>(
      math::rounded_to_odd(reference::Value(number.as_double())).number());
}

void record_node(const Ref<Node>& node, bool cuts_window = false) {
  if (ReplayRecording* recording = ReplayRecording::of_thread()) [[unlikely]]
    recording->note_recorded(*node, cuts_window);
  Recorder::of_thread().window(*node->device).record(node, cuts_window);
}

/// The common device of the tensors; 0-d cpu tensors can be combined with any device.
DeviceState& common_device(const char* name, std::span<const TensorOrNumber> arguments) {
  DeviceState* device = nullptr;
  const Tensor* first = nullptr;
  for (const auto& argument : arguments) {
    if (!argument.tensor.defined()) continue;
    DeviceState* own = argument.tensor.body().cell->device;
    if (!device || (device->device.is_host() && first->rank() == 0 && own != device)) {
      device = own;
      first = &argument.tensor;
    } else if (own != device && !(own->device.is_host() && argument.tensor.rank() == 0)) {
      throw DeviceError(
          std::string(name) + ": tensors lie on different devices: " + first->shape().text() +
          " on " + device->device.name() + " and " + argument.tensor.shape().text() + " on " +
          own->device.name() + "; move one with :to(\"" + device->device.name() + "\")");
    }
  }
  return *device;
}

/// record_map; `row_major`: regardless of the format of the arguments.
Tensor record_map_in(bool row_major, ElementwiseOp op, const char* name, DType result_type,
                     DType operand_type, std::span<const TensorOrNumber> arguments);

/// A new dense tensor with x's elements, converted to a type.
Tensor dense_copy(const char* name, const Tensor& x, DType type) {
  const TensorOrNumber argument(x);
  return record_map_in(true, ElementwiseOp::convert, name, type, x.dtype(), {&argument, 1});
}

Tensor converted(const char* name, const Tensor& x, DType type) {
  return x.dtype() == type ? x : dense_copy(name, x, type);
}

/// Whether a result of `shape` is channels last: decided by the first argument of this shape
/// without broadcast dimensions.
bool goes_channels_last(const Shape& shape, std::span<const TensorOrNumber> arguments) {
  if (shape.rank() != 4) return false;
  for (const auto& argument : arguments) {
    if (!argument.tensor.defined() || !(argument.tensor.shape() == shape)) continue;
    const Layout& layout = argument.tensor.layout();
    if (layout.is_channels_last()) return true;
    if (layout.is_injective()) return false;
  }
  return false;
}

/// record_map for a channels-last result: all arguments are iterated in its memory order.
Tensor record_channels_last(const Shape& shape, ElementwiseOp op, const char* name,
                            DType result_type, DType operand_type,
                            std::span<const TensorOrNumber> arguments) {
  std::vector<TensorOrNumber> turned(arguments.begin(), arguments.end());
  for (TensorOrNumber& argument : turned)
    if (argument.tensor.defined() && argument.tensor.rank() > 0)
      argument =
          alias(argument.tensor, with_channels_last(argument.tensor.layout().broadcast_to(shape)));
  const Tensor y = record_map_in(true, op, name, result_type, operand_type, turned);
  y.body().layout = channels_last_layout(shape);
  return y;
}

Tensor record_map_in(bool row_major, ElementwiseOp op, const char* name, DType result_type,
                     DType operand_type, std::span<const TensorOrNumber> arguments) {
  DeviceState& device = common_device(name, arguments);
  const Shape* common = nullptr;
  Shape wider;
  for (const auto& argument : arguments) {
    if (!argument.tensor.defined()) continue;
    const Shape& own = argument.tensor.shape();
    if (!common) {
      common = &own;
    } else if (!(*common == own)) {
      wider = broadcast(name, *common, own);
      common = &wider;
    }
  }
  const Shape& shape = common ? *common : wider;
  if (!row_major && goes_channels_last(shape, arguments)) [[unlikely]]
    return record_channels_last(shape, op, name, result_type, operand_type, arguments);
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
        (op == ElementwiseOp::convert || body.cell->value->type == wanted)) {
      node->arguments[j] = argument_of(tensor);
      continue;
    }
    Tensor input = op == ElementwiseOp::convert ? tensor : converted(name, tensor, wanted);
    if (input.body().cell->device != &device) input = record_transfer(input, device.device);
    node->arguments[j] = argument_of(input);
  }
  record_node(node);
  return make_tensor(std::move(node));
}

}  // namespace

Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::span<const TensorOrNumber> arguments) {
  return record_map_in(false, op, name, result_type, operand_type, arguments);
}

Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::initializer_list<TensorOrNumber> arguments) {
  return record_map(op, name, result_type, operand_type,
                    std::span(arguments.begin(), arguments.size()));
}

Tensor record_iota(ElementwiseOp op, const char* name, const Layout& iota, DType result_type,
                   DType operand_type, Device device, std::initializer_list<Number> numbers) {
  Ref<Node> node =
      new_node(Node::Kind::iota, name, DeviceState::of(device), result_type, iota.shape);
  node->op = static_cast<OpCode>(op);
  node->operand_type = operand_type;
  node->iota = std::make_unique<Layout>(iota);
  for (const Number& number : numbers)
    node->arguments[node->arity++].number = element_bits(number, operand_type);
  record_node(node);
  return make_tensor(std::move(node));
}

Tensor record_lookup(const char* name, const Tensor& x, const Layout& layout,
                     const Tensor& positions, int64_t size, int64_t stride) {
  DeviceState& device =
      common_device(name, std::array{TensorOrNumber(x), TensorOrNumber(positions)});
  const auto input = [&](const Tensor& tensor) {
    const bool is_there = tensor.body().cell->device == &device;
    return is_there ? tensor : record_transfer(tensor, device.device);
  };
  Ref<Node> node = new_node(Node::Kind::lookup, name, device, x.dtype(), layout.shape);
  node->op = static_cast<OpCode>(ElementwiseOp::convert);
  node->operand_type = DType::i64;
  node->arity = stride == 1 ? 3 : 4;
  node->arguments[0] = argument_of(alias(input(x), layout));
  node->arguments[1] = argument_of(input(positions));
  node->arguments[2].number = static_cast<uint64_t>(size);
  node->arguments[3].number = static_cast<uint64_t>(stride);
  record_node(node);
  return make_tensor(std::move(node));
}

namespace {

/// The type of a reduction's result.
DType reduced_type(Reduction reduction, DType type) {
  const bool adds = reduction == Reduction::sum || reduction == Reduction::prod;
  if (!adds) return type;
  if (is_narrow(type)) return DType::f32;
  return is_floating(type) ? type : DType::i64;
}

/// The result of an empty reduction. Minima and maxima have an identity only for bool: all of
/// nothing is true, any of nothing is false.
Tensor reduce_nothing(Reduction reduction, const char* name, const Tensor& x, const Shape& shape,
                      DType type) {
  const bool minmax = reduction == Reduction::max || reduction == Reduction::min;
  if (minmax && type != DType::boolean)
    throw ShapeError(std::string(name) + ": nothing to reduce: " + x.shape().text() +
                     " has no elements");
  const bool one = reduction == Reduction::prod || reduction == Reduction::min;
  return record_iota(ElementwiseOp::fill, name, Layout(shape), type, type, x.device(),
                     {Number(int64_t{one})});
}

/// Whether a single stride covers the elements of the dimensions first..last, in order.
bool has_one_stride(const Layout& layout, int first, int last) {
  int64_t stride = 0, span = 1;
  for (int d = last; d >= first; --d) {
    if (layout.shape[d] == 1) continue;
    if (span > 1 && layout.strides[d] != stride * span) return false;
    if (span == 1) stride = layout.strides[d];
    span *= layout.shape[d];
  }
  return true;
}

/// The layout without the dimensions first..last, which have size 1.
Layout without_dims(const Layout& layout, int first, int last) {
  Layout result = layout;
  result.shape = Shape();
  for (int d = 0; d < layout.shape.rank(); ++d) {
    if (d >= first && d <= last) continue;
    result.strides[result.shape.rank()] = layout.strides[d];
    result.shape.push_back(layout.shape[d]);
  }
  return result;
}

}  // namespace

Tensor record_reduce(Reduction reduction, const char* name, const Tensor& x, int first, int last) {
  const DType type = reduced_type(reduction, x.dtype());
  Shape shape = x.shape();
  int64_t length = 1;
  for (int d = last; d >= first; --d) {
    length *= shape[d];
    shape.erase(d);
  }
  if (length == 0) return reduce_nothing(reduction, name, x, shape, type);
  Tensor input = is_narrow(x.dtype()) ? x : converted(name, x, type);
  if (length == 1)
    return dense_copy(name, alias(input, without_dims(input.layout(), first, last)), type);
  // The kernel iterates over the reduced elements with one stride.
  if (!has_one_stride(input.layout(), first, last)) input = dense_copy(name, input, input.dtype());
  Ref<Node> node = new_node(Node::Kind::reduce, name, *x.body().cell->device, type, shape);
  node->reduction = reduction;
  node->first = static_cast<uint8_t>(first);
  node->last = static_cast<uint8_t>(last);
  node->arity = 1;
  node->arguments[0] = argument_of(input);
  record_node(node);
  return make_tensor(std::move(node));
}

namespace {

/// Throws DTypeError for float8, unless the op supports it.
void check_float8(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                  std::span<const int64_t> attributes) {
  const bool moves = op == ComputeOp::gather || op == ComputeOp::require ||
                     (op == ComputeOp::scatter && !unpack<ScatterAttributes>(attributes).add);
  if (moves || op == ComputeOp::scaled_matmul) return;
  for (const Tensor& input : inputs)
    if (is_float8(input.dtype()))
      throw DTypeError(std::string(name) + ": does not take " +
                       std::string(name_of(input.dtype())) + ": convert it with :to(\"float32\")");
}

}  // namespace

std::vector<Tensor> record_compute(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                   std::span<const ComputeResult> outputs,
                                   std::span<const int64_t> attributes) {
  check_float8(op, name, inputs, attributes);
  std::vector<TensorOrNumber> operands(inputs.begin(), inputs.end());
  DeviceState& device = common_device(name, operands);
  Ref<Node> node = new_node(Node::Kind::compute, name, device, outputs[0].type, outputs[0].shape);
  node->compute = std::make_unique<ComputeDetails>();
  node->compute->op = op;
  node->compute->attributes.assign(attributes.begin(), attributes.end());
  for (const Tensor& input : inputs)
    node->compute->inputs.push_back(argument_of(
        input.body().cell->device == &device ? input : record_transfer(input, device.device)));
  record_node(node, cuts_window(op));
  std::vector<Tensor> results{make_tensor(node)};
  for (size_t k = 1; k < outputs.size(); ++k) {
    Ref<Node> part = new_node(Node::Kind::part, name, device, outputs[k].type, outputs[k].shape);
    part->arity = 1;
    part->arguments[0].node = node;
    record_node(part);
    results.push_back(make_tensor(std::move(part)));
  }
  if (Recorder::of_thread().eager) Recorder::of_thread().flush({FlushCause::Kind::eager});
  return results;
}

namespace {

/// The value to write to x as a tensor on its device; undefined for a number passed as a parameter.
/// Throws DeviceError and ShapeError.
Tensor tensor_to_write(const char* name, const Tensor& x, const TensorOrNumber& value) {
  const DeviceState& device = *x.body().cell->device;
  if (!value.tensor.defined()) {
    // A number would stay in the compute type, without rounding to the tensor's type, and in
    // unpinned memory.
    const DType type = x.dtype();
    if (!is_narrow(type) && !is_pinned(x)) return Tensor();
    return record_iota(ElementwiseOp::fill, name, Layout(Shape()), type, type, device.device,
                       {value.number});
  }
  Tensor input = value.tensor;
  if (input.body().cell->device != &device) {
    if (!input.device().is_host() || input.rank() != 0)
      common_device(name, std::array{TensorOrNumber(x), value});
    input = record_transfer(input, device.device);
  }
  if (!(broadcast(name, input.shape(), x.shape()) == x.shape()))
    throw ShapeError(std::string(name) + ": a value of shape " + input.shape().text() +
                     " does not fit into " + x.shape().text());
  return input;
}

/// The same elements in the same order, in another shape.
Argument reshaped(const Argument& argument, const Shape& shape) {
  const Layout layout = argument.view ? *argument.view : Layout(argument.node->shape);
  Argument result;
  result.node = argument.node;
  result.view = std::make_unique<Layout>();
  if (!layout.reshape(shape, result.view.get())) {
    const Tensor dense = record_contiguous(alias(make_tensor(argument.node), layout));
    result.node = dense.body().cell->value;
    *result.view = Layout(shape);
  }
  return result;
}

void record_write(const char* name, const Tensor& x, const TensorOrNumber& value, bool fills) {
  Cell& cell = *x.body().cell;
  const Ref<Node> old = cell.value;
  const DType type = old->type;
  const bool is_turned = x.layout().offset == 0 && x.layout().is_channels_last();
  const bool whole = (x.layout().is_dense() || is_turned) && x.numel() == old->shape.numel();
  Argument source;
  if (Tensor input = tensor_to_write(name, x, value); input.defined()) {
    if (whole) {
      const Layout from = input.layout().broadcast_to(x.shape());
      input = alias(input, is_turned ? with_channels_last(from) : from);  // as x lies
      if (is_pinned(x)) input = record_pinned(converted(name, input, type));
    }
    source = argument_of(converted(name, input, type));
    // The cell keeps its shape.
    if (whole && !(input.shape() == old->shape)) source = reshaped(source, old->shape);
  } else {
    source.number = bits_of(value.number, type);
  }
  Ref<Node> node = new_node(whole ? Node::Kind::assign : Node::Kind::write, name, *cell.device,
                            type, old->shape);
  node->operand_type = type;
  node->fills = fills;
  node->arity = 2;
  if (!whole) node->iota = std::make_unique<Layout>(x.layout());
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

Tensor record_room(const char* name, const Shape& shape, DType type, Device device) {
  Ref<Node> node = new_node(Node::Kind::uninitialized, name, DeviceState::of(device), type, shape);
  record_node(node);
  return make_tensor(std::move(node));
}

Tensor alias(const Tensor& x, const Layout& layout) {
  check_countable("view", layout.shape);
  return Tensor(new TensorBody(x.body().cell, layout));
}

Tensor record_contiguous(const Tensor& x) {
  if (x.layout().is_contiguous()) return x;
  return dense_copy("contiguous", x, x.dtype());
}

}  // namespace tide
