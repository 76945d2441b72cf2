// Random loop programs with data to run them on.
#include "tests/runtime/codegen/random_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/loop_passes.h"
#include "tests/runtime/codegen/loop_interpreter.h"

namespace tide::test {
namespace {

using Kind = LoopInstruction::Kind;

constexpr std::array kTypes = {DType::boolean, DType::u8,   DType::i8,     DType::i16,
                               DType::i32,     DType::i64,  DType::f8e4m3, DType::f8e5m2,
                               DType::f16,     DType::bf16, DType::f32,    DType::f64};

class Maker {
 public:
  Maker(std::mt19937& random, LoopKind kind, Orientation orientation, bool fused_multiply)
      : random_(random), kind_(kind), fused_multiply_(fused_multiply) {
    LoopProgram& program = made_.program;
    program.outer_rank = static_cast<uint8_t>(upto(3) + 1);
    program.has_row = kind != LoopKind::map;
    program.orientation = orientation;
    program.partial = kind == LoopKind::partial;
    program.single_block = kind == LoopKind::single_block;
  }

  LoopCase make(int64_t length) {
    choose_extents(length);
    const int inputs = 1 + upto(3);
    for (int i = 0; i < inputs; ++i) values_.push_back(add_load());
    const int parameters = upto(3);
    for (int i = 0; i < parameters; ++i) values_.push_back(add_parameter());
    add_maps(1 + upto(5));
    if (kind_ == LoopKind::map) add_stores(1 + upto(2));
    if (kind_ == LoopKind::row) {
      const int levels = 1 + upto(3);
      for (int level = 0; level < levels; ++level) {
        add_reduction(any_value());
        add_maps(1 + upto(4));
      }
      add_stores(1 + upto(3));
    }
    if (kind_ == LoopKind::single_block) add_reduction(any_value());
    if (kind_ == LoopKind::partial) add_reduction(element_value());
    if (kind_ == LoopKind::partial || kind_ == LoopKind::single_block)
      add_store(static_cast<uint16_t>(made_.program.code.size() - 1), true);
    return std::move(made_);
  }

 private:
  struct Typed {
    uint16_t instruction;
    DType type;
    bool per_row;
  };

  int upto(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  DType any_type() {
    return upto(2) ? DType::f32
                   : kTypes[static_cast<size_t>(upto(static_cast<int>(kTypes.size())))];
  }
  const Typed& any_value() {
    return values_[static_cast<size_t>(upto(static_cast<int>(values_.size())))];
  }
  Typed element_value() {
    for (const Typed& value : values_)
      if (!value.per_row && upto(3)) return value;
    return values_[0];
  }

  int vector_dimension() const {
    const LoopProgram& program = made_.program;
    return program.orientation == Orientation::row ? program.outer_rank : program.outer_rank - 1;
  }

  void choose_extents(int64_t length) {
    LoopProgram& program = made_.program;
    const bool by_row = program.has_row && program.orientation == Orientation::row;
    for (int d = 0; d < program.outer_rank; ++d) made_.extents.push_back(1 + upto(4));
    if (program.has_row) made_.extents.push_back(length);
    if (!program.has_row) made_.extents.back() = length;
    // Enough columns for full steps and a tail, as long as the case stays small.
    if (program.has_row && !by_row)
      made_.extents[program.outer_rank - 1u] = length > 3000 ? 1 + upto(40) : 1 + upto(300);
    // With the fewest rows that make column blocks wide, columns for more than one of them.
    if (program.has_row && !by_row && length == kManyRows) {
      std::fill_n(made_.extents.begin(), program.outer_rank, 1);
      made_.extents[program.outer_rank - 1u] = kWideColumnBlock + 1 + upto(90);
    }
    if (by_row && length > 1 && !program.single_block && upto(3) == 0) divide_row(length);
  }

  /// Gives the row two or three dimensions.
  void divide_row(int64_t length) {
    LoopProgram& program = made_.program;
    program.row_rank = static_cast<uint8_t>(2 + upto(2));
    std::vector<int64_t> extents;
    for (int d = 1; d < program.row_rank; ++d) {
      int64_t factor = 1 + upto(static_cast<int>(std::min<int64_t>(length, 300)));
      while (length % factor) --factor;
      extents.push_back(factor);
      length /= factor;
    }
    extents.push_back(length);
    std::shuffle(extents.begin(), extents.end(), random_);
    made_.extents.insert(made_.extents.end(), extents.begin(), extents.end());
  }

  /// Memory for a nested operand.
  uint16_t add_nested(DType type) {
    const size_t row = made_.program.outer_rank, dims = made_.program.dimensions();
    std::vector<int64_t> strides(dims, 0);
    int64_t next = 1, lowest = 0;
    for (size_t d = dims; d-- > 0;) {
      if (d == row || upto(3) == 0) continue;  // the stride of the row is not used
      const bool backwards = upto(5) == 0;
      strides[d] = backwards ? -next : next;
      if (backwards) lowest -= (made_.extents[d] - 1) * next;
      next *= made_.extents[d];
      if (upto(4) == 0) next += upto(3);
    }
    return add_operand({.type = type, .nested = true}, strides, next, lowest);
  }

  uint16_t add_operand(const LoopOperand& operand, const std::vector<int64_t>& strides,
                       int64_t elements, int64_t lowest) {
    const auto size = static_cast<int64_t>(size_of(operand.type));
    made_.memory.emplace_back(static_cast<size_t>((elements + 8) * size));
    made_.offsets.push_back(-lowest * size);
    made_.strides.insert(made_.strides.end(), strides.begin(), strides.end());
    made_.program.operands.push_back(operand);
    return static_cast<uint16_t>(made_.program.operands.size() - 1);
  }

  /// Memory for an operand, its strides a random permutation of the dimensions.
  uint16_t add_memory(DType type, int vector_stride, bool per_row, bool output) {
    const size_t dims = size_t{made_.program.outer_rank} + made_.program.has_row;
    const auto vector_dim = static_cast<size_t>(vector_dimension());
    std::vector<size_t> order(dims);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    if (vector_stride == 1 || vector_stride == -1) {
      order.erase(std::find(order.begin(), order.end(), vector_dim));
      order.insert(order.begin(), vector_dim);
    }
    std::vector<int64_t> strides(dims, 0);
    int64_t next = vector_stride == LoopOperand::kAnyStride ? 1 + upto(3) : 1;
    int64_t lowest = 0;
    for (const size_t d : order) {
      const bool row = made_.program.has_row && d == dims - 1;
      const bool broadcast = (d == vector_dim && vector_stride == 0) || (row && per_row) ||
                             (!output && d != vector_dim && upto(6) == 0);
      if (broadcast && !(row && made_.program.partial && output)) continue;
      const int64_t extent = row && made_.program.partial && output
                                 ? (made_.extents[d] + kReductionBlock - 1) / kReductionBlock
                                 : made_.extents[d];
      const bool chosen = d != vector_dim || vector_stride == LoopOperand::kAnyStride;
      const bool backwards = extent > 0 && (chosen ? upto(5) == 0 : vector_stride == -1);
      strides[d] = backwards ? -next : next;
      if (backwards) lowest -= (extent - 1) * next;
      next *= std::max<int64_t>(extent, 1);
      if (upto(4) == 0) next += upto(3);
    }
    strides.resize(made_.program.dimensions(), 0);
    return add_operand(
        {.type = type, .vector_stride = static_cast<int8_t>(vector_stride), .per_row = per_row},
        strides, next, lowest);
  }

  void fill(DType type, std::vector<uint8_t>& memory) {
    const auto count = static_cast<int64_t>(memory.size() / size_of(type));
    std::normal_distribution<double> normal(0, 3);
    const std::array<double, 9> special = {0.0,   -0.0,    INFINITY, -INFINITY, NAN,
                                           1e-40, 65519.9, 65520.0,  1e30};
    for (int64_t i = 0; i < count; ++i) {
      double value = normal(random_);
      if (upto(60) == 0)
        value = special[static_cast<size_t>(upto(static_cast<int>(special.size())))];
      if (is_floating(type))
        write_element(type, memory.data(), i, value);
      else
        write_element(type, memory.data(), i, static_cast<int64_t>(random_()) >> upto(32));
    }
  }

  Typed add_load() {
    LoopProgram& program = made_.program;
    const bool per_row = kind_ == LoopKind::row && !values_.empty() && upto(4) == 0;
    LoopInstruction load{.kind = Kind::load, .type = any_type()};
    if (upto(8) == 0 && !per_row) {
      for (size_t d = 0; d < made_.extents.size(); ++d) made_.strides.push_back(upto(7) - 3);
      made_.memory.emplace_back();
      made_.offsets.push_back(upto(100) - 50);
      program.operands.push_back({.kind = LoopOperand::Kind::iota, .type = DType::i64});
      load.type = DType::i64;
      load.operand = static_cast<uint16_t>(program.operands.size() - 1);
    } else if (!per_row && upto(4) == 0) {
      return add_load_at();
    } else {
      const int strides[] = {1, 1, 1, 0, -1, LoopOperand::kAnyStride};
      int stride = strides[upto(6)];
      const bool by_row = program.has_row && program.orientation == Orientation::row;
      if (per_row && by_row) stride = 0;
      if (!per_row && by_row && stride == 0) stride = 1;
      const bool nested = program.row_rank > 0 && !per_row && upto(2) == 0;
      load.operand = nested ? add_nested(load.type) : add_memory(load.type, stride, per_row, false);
      fill(load.type, made_.memory.back());
      if (upto(5) == 0) load.type = any_type();
    }
    program.code.push_back(load);
    return last(per_row);
  }

  /// A load at positions that another value determines, or that count upwards.
  Typed add_load_at() {
    LoopProgram& program = made_.program;
    const int64_t size = 1 + upto(300), stride = upto(4) ? 1 : 1 + upto(3);
    const auto add_number = [&](int64_t number) {
      made_.parameters.push_back(static_cast<uint64_t>(number));
      program.code.push_back(
          {.kind = Kind::parameter, .type = DType::i64, .operand = program.parameter_count++});
      return last(program.has_row);
    };
    const Typed position =
        values_.empty() || upto(2) ? counted() : converted(any_value(), DType::i64);
    LoopInstruction load{.kind = Kind::load, .type = any_type()};
    load.a[load.arity++] = position.instruction;
    load.a[load.arity++] = add_number(size).instruction;
    if (stride > 1 || upto(2)) load.a[load.arity++] = add_number(stride).instruction;
    // The element at the first position, and the others after it.
    const DType type = load.type;
    const bool spread = upto(2);
    const uint16_t operand =
        spread ? add_broadcast(type) : add_memory(type, upto(3) ? 1 : -1, false, false);
    program.operands[operand].indexed = true;
    made_.memory[operand].resize(made_.memory[operand].size() +
                                 static_cast<size_t>(size * stride) * size_of(type));
    fill(type, made_.memory[operand]);
    load.operand = operand;
    program.code.push_back(load);
    return last(false);
  }

  /// Positions that count up along the vector dimension, from somewhere near 1.
  Typed counted() {
    LoopProgram& program = made_.program;
    const auto vector_dim = static_cast<size_t>(vector_dimension());
    for (size_t d = 0; d < program.dimensions(); ++d)
      made_.strides.push_back(d == vector_dim ? 1 : upto(7) - 3);
    made_.memory.emplace_back();
    made_.offsets.push_back(upto(100) - 50);
    program.operands.push_back({.kind = LoopOperand::Kind::iota, .type = DType::i64});
    program.code.push_back({.kind = Kind::load,
                            .type = DType::i64,
                            .operand = static_cast<uint16_t>(program.operands.size() - 1)});
    return last(false);
  }

  /// One element for the whole domain.
  uint16_t add_broadcast(DType type) {
    const std::vector<int64_t> strides(made_.program.dimensions(), 0);
    return add_operand({.type = type, .vector_stride = 0, .per_row = made_.program.has_row},
                       strides, 1, 0);
  }

  Typed last(bool per_row) const {
    const auto& code = made_.program.code;
    return {static_cast<uint16_t>(code.size() - 1), code.back().type, per_row};
  }

  Typed add_parameter() {
    const DType type = any_type();
    uint64_t bits = 0;
    write_element(compute_type(type), &bits, 0, static_cast<int64_t>(upto(9) - 3));
    made_.parameters.push_back(bits);
    made_.program.code.push_back(
        {.kind = Kind::parameter, .type = type, .operand = made_.program.parameter_count++});
    return last(made_.program.has_row);
  }

  Typed add_map(ElementwiseOp op, DType type, const std::vector<Typed>& operands) {
    LoopInstruction map{.kind = Kind::map, .type = type, .op = static_cast<OpCode>(op)};
    bool per_row = made_.program.has_row;
    for (const Typed& operand : operands) {
      per_row = per_row && operand.per_row;
      map.a[map.arity++] = operand.instruction;
    }
    made_.program.code.push_back(map);
    return last(per_row);
  }

  Typed converted(const Typed& value, DType type) {
    return value.type == type ? value : add_map(ElementwiseOp::convert, type, {value});
  }

  void add_maps(int count) {
    for (int i = 0; i < count; ++i) {
      const Typed a = any_value();
      const DType type = a.type == DType::boolean ? DType::f32 : a.type;
      const Typed left = converted(a, type);
      const Typed right = converted(any_value(), type);
      values_.push_back(random_map(type, left, right));
    }
  }

  Typed random_map(DType type, const Typed& left, const Typed& right) {
    switch (upto(fused_multiply_ && is_floating(type) ? 12 : 8)) {
      case 0:
        return add_map(ElementwiseOp::add, type, {left, right});
      case 1:
        return add_map(ElementwiseOp::sub, type, {left, right});
      case 2:
        return add_map(ElementwiseOp::mul, type, {left, right});
      case 3:
        return add_map(ElementwiseOp::maximum, type, {left, right});
      case 4:
        return add_map(ElementwiseOp::neg, type, {left});
      case 5:
        return converted(left, any_type());
      case 6:
        return add_map(ElementwiseOp::lt, DType::boolean, {left, right});
      case 7: {
        const Typed condition = add_map(ElementwiseOp::lt, DType::boolean, {left, right});
        return add_map(ElementwiseOp::where, type, {condition, right, left});
      }
      case 8:
        return add_map(ElementwiseOp::div, type, {left, right});
      case 9:
        return add_map(ElementwiseOp::sqrt, type, {left});
      case 10:
        return add_map(ElementwiseOp::exp, type, {left});
      default:
        return add_map(ElementwiseOp::tanh, type, {left});
    }
  }

  void add_reduction(const Typed& of) {
    DType type = compute_type(of.type);
    Typed input = of;
    if (type == DType::boolean) {
      type = DType::i64;
      input = converted(of, type);
    }
    made_.program.code.push_back({.kind = Kind::reduce,
                                  .type = type,
                                  .reduction = static_cast<Reduction>(upto(4)),
                                  .a = {input.instruction}});
    values_.push_back(last(true));
  }

  void add_stores(int count) {
    add_store(values_.back().instruction, values_.back().per_row);
    for (int i = 1; i < count; ++i) {
      const Typed value = any_value();
      add_store(value.instruction, value.per_row && upto(4) != 0);
    }
  }

  void add_store(uint16_t value, bool per_row) {
    const bool by_row = made_.program.orientation == Orientation::row;
    per_row = per_row && made_.program.has_row;
    int stride = upto(4) ? 1 : upto(3) ? LoopOperand::kAnyStride : -1;
    if (per_row && by_row) stride = made_.program.partial ? 1 : 0;
    const DType type = upto(3) ? made_.program.code[value].type
                               : kTypes[static_cast<size_t>(upto(static_cast<int>(kTypes.size())))];
    const uint16_t operand = add_memory(type, stride, per_row, true);
    made_.outputs.push_back(operand);
    made_.program.code.push_back(
        {.kind = Kind::store, .type = type, .operand = operand, .a = {value}});
  }

  std::mt19937& random_;
  LoopKind kind_;
  bool fused_multiply_;
  LoopCase made_;
  std::vector<Typed> values_;
};

}  // namespace

std::vector<void*> LoopCase::bases() {
  std::vector<void*> result;
  for (size_t k = 0; k < memory.size(); ++k)
    result.push_back(program.operands[k].kind == LoopOperand::Kind::iota
                         ? reinterpret_cast<void*>(offsets[k])
                         : memory[k].data() + offsets[k]);
  return result;
}

LoopCase random_case(std::mt19937& random, LoopKind kind, Orientation orientation, int64_t length,
                     bool fused_multiply) {
  return Maker(random, kind, orientation, fused_multiply).make(length);
}

}  // namespace tide::test
