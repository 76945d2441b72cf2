// The elementwise ops on f32.
#include "runtime/ir/interpreter/interpreted_op_table.h"

std::span<const tide::InterpretedOp> tide::interpreted::table_of_f32() { return table<float>(); }
