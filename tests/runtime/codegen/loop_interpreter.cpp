// A plain interpreter of loop programs, to compare kernels with: one element after the other.
#include "tests/runtime/codegen/loop_interpreter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "runtime/ir/elementwise_ops.h"
#include "tests/runtime/codegen/reference_op.h"

namespace tide::test {
namespace {

using Kind = LoopInstruction::Kind;

/// A floating type of one byte or two.
struct Narrow {
  int fraction, exponent;  ///< their bits
  int lowest;              ///< the exponent of the least normal number
  double limit;            ///< what is rounded to this or more is `beyond`
  double beyond;
};

Narrow narrow_of(DType type) {
  switch (type) {
    case DType::f8e4m3:  // all exponents are numbers; without infinities
      return {3, 4, -6, 480, NAN};
    case DType::f8e5m2:
      return {2, 5, -14, 65536, INFINITY};
    case DType::f16:
      return {10, 5, -14, 65536, INFINITY};
    default:
      return {7, 8, -126, std::ldexp(1.0, 128), INFINITY};
  }
}

/// `x` rounded by scaling so that what is kept becomes a whole number.
float rounded_to_narrow(double x, DType type) {
  const Narrow form = narrow_of(type);
  if (x == 0 || std::isnan(x)) return static_cast<float>(x);
  if (std::isinf(x)) return static_cast<float>(std::copysign(form.beyond, x));
  const int exponent = std::max(std::ilogb(x), form.lowest);
  const double quantum = std::ldexp(1.0, exponent - form.fraction);
  const double result = std::nearbyint(static_cast<double>(x) / quantum) * quantum;
  return static_cast<float>(std::fabs(result) >= form.limit ? std::copysign(form.beyond, x)
                                                            : result);
}

/// The bits of a value that is rounded to the type.
uint16_t narrow_bits(float value, DType type) {
  const Narrow form = narrow_of(type);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (type == DType::bf16)
    return static_cast<uint16_t>(bits >> 16 | (std::isnan(value) ? 0x40 : 0));
  const auto sign = static_cast<uint16_t>(bits >> 31 << (form.exponent + form.fraction));
  const auto largest_exponent = ((1 << form.exponent) - 1) << form.fraction;
  const auto quiet = is_float8(type) ? (1 << form.fraction) - 1 : 1 << (form.fraction - 1);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | largest_exponent | quiet);
  if (std::isinf(value)) return static_cast<uint16_t>(sign | largest_exponent);
  const float magnitude = std::fabs(value);
  if (magnitude < std::ldexp(1.0f, form.lowest))
    return sign | static_cast<uint16_t>(std::ldexp(magnitude, form.fraction - form.lowest));
  const int exponent = std::ilogb(magnitude);
  const auto fraction = static_cast<int>(std::ldexp(magnitude, form.fraction - exponent) -
                                         std::ldexp(1.0f, form.fraction));
  return static_cast<uint16_t>(sign | (exponent - form.lowest + 1) << form.fraction | fraction);
}

float narrow_value(uint16_t bits, DType type) {
  const Narrow form = narrow_of(type);
  const int digits = bits & ((1 << form.fraction) - 1);
  const int place = bits >> form.fraction & ((1 << form.exponent) - 1);
  const bool negative = bits >> (form.fraction + form.exponent) & 1;
  if (type == DType::bf16) {  // nan keeps its bits
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  const bool last = place == (1 << form.exponent) - 1;
  float value;
  if (type == DType::f8e4m3 ? last && digits == 7 : last && digits)
    value = NAN;
  else if (last && type != DType::f8e4m3)
    value = INFINITY;
  else
    value = std::ldexp(static_cast<float>(digits + (place ? 1 << form.fraction : 0)),
                       form.lowest - form.fraction + std::max(place - 1, 0));
  return negative ? -value : value;
}

/// Calls `use` with a zero of the compute type's host type.
template <class Use>
auto with_type(DType type, const Use& use) {
  switch (type) {
    case DType::boolean:
      return use(bool{});
    case DType::u8:
      return use(uint8_t{});
    case DType::i8:
      return use(int8_t{});
    case DType::i16:
      return use(int16_t{});
    case DType::i32:
      return use(int32_t{});
    case DType::i64:
      return use(int64_t{});
    case DType::f64:
      return use(double{});
    default:
      return use(float{});
  }
}

/// In the compute type of `type`, rounded to it once.
Number rounded_number(const Number& value, DType type) {
  if (!is_narrow(type)) return convert_number(value, type);
  const auto* const wide = std::get_if<double>(&value);
  return rounded_to_narrow(wide ? *wide : std::get<float>(convert_number(value, DType::f32)), type);
}

Number identity(const LoopInstruction& instruction) {
  return with_type(compute_type(instruction.type), [&](auto zero) -> Number {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    const T infinity = Limits::has_infinity ? Limits::infinity() : Limits::max();
    const T lowest = Limits::has_infinity ? static_cast<T>(-infinity) : Limits::lowest();
    switch (instruction.reduction) {
      case Reduction::sum:
        return static_cast<T>(Limits::has_infinity ? -0.0 : 0.0);
      case Reduction::prod:
        return T(1);
      case Reduction::max:
        return lowest;
      default:
        return infinity;
    }
  });
}

/// The reduction tree as the header states it.
Number reduce(const LoopInstruction& instruction, std::span<const Number> values,
              bool single_block) {
  const auto combine = [&](const Number& a, const Number& b) {
    return combine_reference(instruction.reduction, a, b);
  };
  const auto reduce_block = [&](std::span<const Number> block) {
    std::array<Number, kReductionLanes> lanes;
    lanes.fill(identity(instruction));
    for (size_t i = 0; i < block.size(); ++i) {
      Number& lane = lanes[i % kReductionLanes];
      lane = combine(lane, block[i]);
    }
    for (size_t width = kReductionLanes / 2; width > 0; width /= 2)
      for (size_t j = 0; j < width; ++j) lanes[j] = combine(lanes[j], lanes[j + width]);
    return lanes[0];
  };
  if (single_block) return reduce_block(values);
  std::vector<Number> blocks;
  for (size_t begin = 0; begin < values.size(); begin += kReductionBlock)
    blocks.push_back(reduce_block(
        values.subspan(begin, std::min<size_t>(kReductionBlock, values.size() - begin))));
  return reduce_block(blocks);
}

class Interpreter {
 public:
  Interpreter(const LoopProgram& program, const LoopArguments& arguments)
      : program_(program),
        arguments_(arguments),
        dimensions_(program.dimensions()),
        row_length_(program.has_row ? arguments.extents[program.outer_rank] : 1) {
    for (const LoopInstruction& instruction : program.code) {
      bool per_row = program.has_row;
      if (instruction.kind == Kind::load) per_row = program.operands[instruction.operand].per_row;
      const int count = instruction.kind == Kind::store ? 1 : instruction.arity;
      for (int i = 0; i < count; ++i) per_row = per_row && per_row_[instruction.a[i]];
      per_row_.push_back(per_row);
    }
  }

  void run() {
    int64_t points = 1;
    for (int d = 0; d < program_.outer_rank; ++d) points *= arguments_.extents[d];
    for (int64_t point = 0; point < points; ++point) {
      int64_t rest = point;
      for (int d = program_.outer_rank - 1; d >= 0; --d) {
        index_[d] = rest % arguments_.extents[d];
        rest /= arguments_.extents[d];
      }
      run_row();
    }
  }

 private:
  void run_row() {
    const size_t rows = static_cast<size_t>(row_length_);
    values_.resize(program_.code.size());
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LoopInstruction& instruction = program_.code[i];
      if (instruction.kind == Kind::store) continue;
      const size_t count = per_row_[i] || instruction.kind == Kind::reduce ? 1 : rows;
      values_[i].clear();
      values_[i].reserve(count);
      for (size_t r = 0; r < count; ++r) values_[i].push_back(compute(instruction, r));
    }
    for (const LoopInstruction& instruction : program_.code)
      if (instruction.kind == Kind::store) store(instruction);
  }

  const Number& at(uint16_t instruction, size_t r) const {
    const auto& values = values_[instruction];
    return values[values.size() == 1 ? 0 : r];
  }

  int64_t place(uint16_t operand, int64_t r) const {
    const int64_t* strides = arguments_.strides + operand * dimensions_;
    int64_t result = 0;
    for (int d = 0; d < program_.outer_rank; ++d) result += index_[d] * strides[d];
    if (program_.operands[operand].nested) {
      for (size_t d = dimensions_; d-- > program_.outer_rank + 1u; r /= arguments_.extents[d])
        result += r % arguments_.extents[d] * strides[d];
      return result;
    }
    return program_.has_row ? result + r * strides[program_.outer_rank] : result;
  }

  Number compute(const LoopInstruction& instruction, size_t r) {
    const DType type = compute_type(instruction.type);
    if (instruction.kind == Kind::parameter) {
      const void* bits = &arguments_.parameters[instruction.operand];
      return read_element(type, bits, 0);
    }
    if (instruction.kind == Kind::load) {
      const LoopOperand& operand = program_.operands[instruction.operand];
      int64_t index = place(instruction.operand, static_cast<int64_t>(r));
      if (instruction.arity > 0) {
        const auto input = [&](int j) { return std::get<int64_t>(at(instruction.a[j], r)); };
        index += (std::clamp<int64_t>(input(0), 1, input(1)) - 1) *
                 (instruction.arity > 2 ? input(2) : 1);
      }
      void* base = arguments_.bases[instruction.operand];
      Number value = operand.kind == LoopOperand::Kind::iota
                         ? Number(reinterpret_cast<int64_t>(base) + index)
                         : read_element(operand.type, base, index);
      return rounded_number(value, instruction.type);
    }
    if (instruction.kind == Kind::reduce) return reduce_row(instruction);
    std::array<Number, std::size(LoopInstruction{}.a)> operands;
    for (size_t i = 0; i < instruction.arity; ++i) operands[i] = at(instruction.a[i], r);
    if (static_cast<ElementwiseOp>(instruction.op) == ElementwiseOp::convert)
      return rounded_number(operands[0], instruction.type);
    return rounded_number(
        apply_reference(instruction.op, std::span(operands).first(instruction.arity), type),
        instruction.type);
  }

  Number reduce_row(const LoopInstruction& instruction) {
    reduced_.clear();
    for (int64_t r = 0; r < row_length_; ++r)
      reduced_.push_back(convert_number(at(instruction.a[0], static_cast<size_t>(r)),
                                        compute_type(instruction.type)));
    if (!program_.partial) return reduce(instruction, reduced_, program_.single_block);
    partial_ = instruction;
    return identity(instruction);
  }

  void store(const LoopInstruction& instruction) {
    const LoopOperand& operand = program_.operands[instruction.operand];
    void* base = arguments_.bases[instruction.operand];
    if (program_.partial) {
      for (int64_t block = 0; block * kReductionBlock < row_length_; ++block) {
        const auto begin = reduced_.begin() + block * kReductionBlock;
        const auto end = reduced_.begin() + std::min(row_length_, (block + 1) * kReductionBlock);
        write_element(operand.type, base, place(instruction.operand, block),
                      reduce(partial_, {begin, end}, false));
      }
      return;
    }
    const int64_t count = operand.per_row ? 1 : row_length_;
    for (int64_t r = 0; r < count; ++r)
      write_element(operand.type, base, place(instruction.operand, r),
                    at(instruction.a[0], static_cast<size_t>(r)));
  }

  const LoopProgram& program_;
  const LoopArguments& arguments_;
  size_t dimensions_;
  int64_t row_length_;
  std::vector<bool> per_row_;
  std::array<int64_t, kMaxDims> index_{};
  std::vector<std::vector<Number>> values_;
  std::vector<Number> reduced_;  // what the last reduction read
  LoopInstruction partial_{};
};

}  // namespace

Number read_element(DType type, const void* base, int64_t index) {
  if (is_float8(type)) return narrow_value(static_cast<const uint8_t*>(base)[index], type);
  if (is_half(type)) return narrow_value(static_cast<const uint16_t*>(base)[index], type);
  return with_type(
      type, [&](auto zero) -> Number { return static_cast<const decltype(zero)*>(base)[index]; });
}

void write_element(DType type, void* base, int64_t index, const Number& value) {
  const Number converted = rounded_number(value, type);
  if (is_narrow(type)) {
    const uint16_t bits = narrow_bits(std::get<float>(converted), type);
    if (is_float8(type))
      static_cast<uint8_t*>(base)[index] = static_cast<uint8_t>(bits);
    else
      static_cast<uint16_t*>(base)[index] = bits;
    return;
  }
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    static_cast<T*>(base)[index] = std::get<T>(converted);
  });
}

void interpret(const LoopProgram& program, const LoopArguments& arguments) {
  Interpreter(program, arguments).run();
}

}  // namespace tide::test
