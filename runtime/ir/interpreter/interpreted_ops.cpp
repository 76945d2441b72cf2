// Looks up an op in the tables.
#include "runtime/ir/interpreter/interpreted_op_table.h"

namespace tide {

InterpretedOp interpreted_op(ElementwiseOp op, DType type) {
  const auto number = static_cast<size_t>(op);
  if (type == DType::f32) return interpreted::table_of_f32()[number];
  if (type == DType::f64) return interpreted::table_of_f64()[number];
  return interpreted::table_of_integers(type)[number];
}

}  // namespace tide
