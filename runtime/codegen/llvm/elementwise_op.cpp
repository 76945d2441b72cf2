#include "runtime/codegen/llvm/elementwise_op.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/ir/definitions/elementwise_math.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide::ir {
namespace {

Value as_value(const Value& value) { return value; }
Value as_value(const Mask& mask) { return to_bool(mask); }

template <class Definition, size_t... I>
Value apply_definition(std::span<const Value> operands, std::index_sequence<I...>) {
  return as_value(Definition::value(operands[I]...));
}

/// The lowest or the highest number of the type.
Value minmax(const Value& like, bool highest) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (like.type()) {
    case DType::boolean:
      return like.constant(highest ? 1 : 0);
    case DType::u8:
      return like.constant(highest ? 255 : 0);
    case DType::f32:
    case DType::f64:
      return like.constant(highest ? infinity : -infinity);
    default: {
      const int bits = 8 * static_cast<int>(size_of(like.type()));
      const int64_t lowest = std::numeric_limits<int64_t>::min() >> (64 - bits);
      return like.constant(highest ? ~lowest : lowest);
    }
  }
}

}  // namespace

Value apply(OpCode op, std::span<const Value> operands) {
  switch (static_cast<ElementwiseOp>(op)) {
#define TIDE_ELEMENTWISE(name, Definition, arity, cost) \
  case ElementwiseOp::name:                             \
    return apply_definition<definition::Definition>(operands, std::make_index_sequence<arity>());
#include "runtime/ir/elementwise_ops.def"
  }
  throw std::logic_error("unknown elementwise op");
}

Value combine(Reduction reduction, const Value& a, const Value& b) {
  switch (reduction) {
    case Reduction::sum:
      return a + b;
    case Reduction::prod:
      return a * b;
    case Reduction::max:
      return maximum(a, b);
    case Reduction::min:
      return minimum(a, b);
  }
  throw std::logic_error("unknown reduction");
}

Value identity(Reduction reduction, const Value& like) {
  switch (reduction) {
    case Reduction::sum:
      return is_floating(like.type()) ? like.constant(-0.0) : like.constant(0);
    case Reduction::prod:
      return like.constant(1);
    case Reduction::max:
      return minmax(like, false);
    case Reduction::min:
      return minmax(like, true);
  }
  throw std::logic_error("unknown reduction");
}

}  // namespace tide::ir
