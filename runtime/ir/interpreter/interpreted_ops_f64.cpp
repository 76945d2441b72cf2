// The elementwise ops on f64.
#include "runtime/ir/interpreter/interpreted_op_table.h"

std::span<const tide::InterpretedOp> tide::interpreted::table_of_f64() { return table<double>(); }
