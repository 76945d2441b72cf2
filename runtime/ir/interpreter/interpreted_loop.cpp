// Walks the domain piece by piece: rows, or parts of the last dimension. In each piece, one
// instruction after the other computes all of its values.
#include "runtime/ir/interpreter/interpreted_loop.h"

#include <algorithm>
#include <array>

#include "runtime/ir/loop_passes.h"

namespace tide {
namespace {

/// Elements per piece of a map: their values fit the L1 cache.
constexpr int64_t kPiece = 128;
constexpr size_t kElementBytes = 8;  ///< the most bytes of a value of any type

/// Approximate overhead of a call in nanoseconds, and instructions per nanosecond.
constexpr int64_t kCallCost = 5, kInstructions = 2;

int64_t product(const int64_t* extents, int count) {
  int64_t result = 1;
  for (int d = 0; d < count; ++d) result *= extents[d];
  return result;
}

/// Bytes of the array that holds the values of an instruction for pieces of `length` elements.
size_t array_bytes(int64_t length) {
  constexpr size_t kStep = 8;  // arrays are aligned to 64 bytes
  const auto elements = static_cast<size_t>(std::max<int64_t>(length, 1));
  return (elements + kStep - 1) / kStep * kStep * kElementBytes;
}

}  // namespace

std::unique_ptr<const InterpretedLoop> InterpretedLoop::of(const LoopProgram& program) {
  if (program.partial || program.single_block || program.row_rank > 0) return nullptr;
  auto loop = std::make_unique<InterpretedLoop>();
  loop->outer_rank_ = program.outer_rank;
  loop->has_row_ = program.has_row;
  loop->operands_ = program.operands.size();
  for (const LoopInstruction& instruction : program.code)
    if (!loop->add(program, instruction)) return nullptr;
  return loop;
}

bool InterpretedLoop::add(const LoopProgram& program, const LoopInstruction& instruction) {
  Call call{.kind = instruction.kind, .type = compute_type(instruction.type)};
  const auto inputs = inputs_of(instruction);
  call.arity = static_cast<uint8_t>(inputs.size());
  call.operand = instruction.operand;
  std::copy(inputs.begin(), inputs.end(), call.a);
  call.per_row = has_row_;
  for (int j = 0; j < call.arity; ++j) call.per_row = call.per_row && calls_[call.a[j]].per_row;
  bool known = true;
  switch (instruction.kind) {
    case Kind::load:
      known = add_load(program, instruction, call);
      break;
    case Kind::parameter:
      call.load = interpreted::load_of(call.type);
      break;
    case Kind::map:
      known = add_map(instruction, call);
      break;
    case Kind::reduce:
      call.per_row = true;
      call.reduce = interpreted::reduction(instruction.reduction, call.type);
      known = calls_[call.a[0]].type == call.type;
      break;
    case Kind::store: {
      const LoopOperand& operand = program.operands[instruction.operand];
      call.per_row = operand.per_row;
      call.element_bytes = size_of(operand.type);
      call.store = interpreted::store_of(operand.type);
      call.stored = compute_type(operand.type);
      const DType from = calls_[call.a[0]].type;
      if (from != call.stored) call.compute = interpreted::conversion(from, operand.type);
      break;
    }
  }
  // Broadcasts a per-row value if per-element values are computed from it.
  if (!call.per_row || call.kind == Kind::reduce)
    for (int j = 0; j < call.arity; ++j) calls_[call.a[j]].is_spread = calls_[call.a[j]].per_row;
  calls_.push_back(call);
  const auto op = static_cast<ElementwiseOp>(instruction.op);
  element_cost_ += call.kind == Kind::map ? 1 + cost_of(op) / kInstructions : 1;
  return known;
}

bool InterpretedLoop::add_load(const LoopProgram& program, const LoopInstruction& instruction,
                               Call& call) {
  const LoopOperand& operand = program.operands[instruction.operand];
  call.per_row = call.per_row && operand.per_row;
  call.element_bytes = size_of(operand.type);
  call.is_iota = operand.kind == LoopOperand::Kind::iota;
  const DType from = call.is_iota ? DType::i64 : compute_type(operand.type);
  if (operand.indexed)
    call.load_at = interpreted::load_at_of(operand.type);
  else if (!call.is_iota)
    call.load = interpreted::load_of(operand.type);
  if (from != call.type) call.compute = interpreted::conversion(from, instruction.type);
  if (is_narrow(instruction.type) && operand.type != instruction.type)
    call.round = interpreted::rounding_to(instruction.type);
  return true;
}

bool InterpretedLoop::add_map(const LoopInstruction& instruction, Call& call) {
  const auto op = static_cast<ElementwiseOp>(instruction.op);
  if (is_narrow(instruction.type)) call.round = interpreted::rounding_to(instruction.type);
  // All operands have the type of the last, except those with an argument_type.
  const DType type = calls_[call.a[call.arity - 1]].type;
  if (op == ElementwiseOp::convert) {
    call.compute = interpreted::conversion(type, instruction.type);
    return true;
  }
  for (int j = 0; j < call.arity; ++j)
    if (calls_[call.a[j]].type != argument_type(op, j).value_or(type)) return false;
  const InterpretedOp found = interpreted_op(op, type);
  call.compute = found.call;
  return found.call && found.result == call.type;
}

int64_t InterpretedLoop::piece_length(const int64_t* extents) const {
  const int64_t length = extents[has_row_ ? outer_rank_ : outer_rank_ - 1];
  return has_row_ ? length : std::min(length, kPiece);
}

size_t InterpretedLoop::workspace_bytes(const int64_t* extents) const {
  // One more array, for conversions.
  return (calls_.size() + 1) * array_bytes(piece_length(extents));
}

int64_t InterpretedLoop::cost(const int64_t* extents) const {
  const int64_t elements = product(extents, outer_rank_ + has_row_);
  const int64_t pieces = elements / std::max<int64_t>(piece_length(extents), 1) + 1;
  return static_cast<int64_t>(calls_.size()) * pieces * kCallCost + elements * element_cost_;
}

void InterpretedLoop::run(const LoopArguments& arguments, void* workspace) const {
  const int dimensions = outer_rank_ + has_row_;
  const int walked = has_row_ ? outer_rank_ : outer_rank_ - 1;  // the others are within a piece
  const int64_t length = arguments.extents[walked], most = piece_length(arguments.extents);
  const int64_t outer = product(arguments.extents, walked);
  std::array<int64_t, kMaxDims> index{};
  thread_local std::vector<int64_t> places;
  places.assign(operands_, 0);
  for (int64_t point = 0; point < outer; ++point) {
    for (size_t k = 0; k < operands_; ++k) {
      const int64_t* const strides = arguments.strides + k * static_cast<size_t>(dimensions);
      places[k] = 0;
      for (int d = 0; d < walked; ++d) places[k] += index[static_cast<size_t>(d)] * strides[d];
    }
    // A row without elements still has per-row values.
    for (int64_t begin = 0; begin < length || (has_row_ && begin == 0);
         begin += std::max<int64_t>(most, 1)) {
      run_piece(arguments, places.data(), walked, std::min(most, length - begin),
                static_cast<std::byte*>(workspace));
      for (size_t k = 0; k < operands_; ++k)
        places[k] +=
            most *
            arguments.strides[k * static_cast<size_t>(dimensions) + static_cast<size_t>(walked)];
    }
    for (int d = walked - 1; d >= 0 && ++index[static_cast<size_t>(d)] == arguments.extents[d]; --d)
      index[static_cast<size_t>(d)] = 0;
  }
}

void InterpretedLoop::run_piece(const LoopArguments& arguments, const int64_t* places,
                                int64_t stride_dimension, int64_t count, std::byte* values) const {
  const size_t bytes = array_bytes(piece_length(arguments.extents));
  const auto array = [&](size_t number) { return values + number * bytes; };
  void* const converted = array(calls_.size());
  const auto dimensions = static_cast<size_t>(outer_rank_ + has_row_);
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    const int64_t wanted = call.per_row ? 1 : count;
    void* const own = array(i);
    const int64_t stride =
        call.kind == Kind::load || call.kind == Kind::store
            ? arguments.strides[call.operand * dimensions + static_cast<size_t>(stride_dimension)]
            : 0;
    const auto address = [&] {
      return static_cast<std::byte*>(arguments.bases[call.operand]) +
             places[call.operand] * static_cast<int64_t>(call.element_bytes);
    };
    switch (call.kind) {
      case Kind::load: {
        void* const to = call.compute ? converted : own;
        if (call.is_iota) {
          const auto start = reinterpret_cast<int64_t>(arguments.bases[call.operand]);
          auto* const numbers = static_cast<int64_t*>(to);
          for (int64_t j = 0; j < wanted; ++j)
            numbers[j] = start + places[call.operand] + j * stride;
        } else if (call.load_at) {
          const auto numbers = [&](int j) -> const int64_t* {
            return j < call.arity ? reinterpret_cast<const int64_t*>(array(call.a[j])) : nullptr;
          };
          call.load_at(address(), stride, {numbers(0), numbers(1), numbers(2)}, to, wanted);
        } else {
          call.load(address(), stride, to, wanted);
        }
        const void* const from = converted;
        if (call.compute) call.compute(&from, own, wanted);
        break;
      }
      case Kind::parameter:
        call.load(&arguments.parameters[call.operand], 0, own, wanted);
        break;
      case Kind::map: {
        const void* operands[4];
        for (int j = 0; j < call.arity; ++j) operands[j] = array(call.a[j]);
        call.compute(operands, own, wanted);
        break;
      }
      case Kind::reduce:
        call.reduce(array(call.a[0]), count, own);
        break;
      case Kind::store: {
        const void* from = array(call.a[0]);
        if (call.compute) {
          call.compute(&from, converted, wanted);
          from = converted;
        }
        call.store(from, address(), stride, wanted);
        break;
      }
    }
    if (call.round) call.round(own, wanted);
    if (call.is_spread) interpreted::spread(call.type, own, count);
  }
}

}  // namespace tide
