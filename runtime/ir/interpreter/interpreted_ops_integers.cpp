// The elementwise ops on bool and integers, and random numbers, which are generated as i64.
#include "runtime/ir/interpreter/interpreted_op_table.h"

std::span<const tide::InterpretedOp> tide::interpreted::table_of_integers(DType type) {
  switch (type) {
    case DType::boolean:
      return table<bool>();
    case DType::u8:
      return table<uint8_t>();
    case DType::i8:
      return table<int8_t>();
    case DType::i16:
      return table<int16_t>();
    case DType::i32:
      return table<int32_t>();
    default:
      return table<int64_t>();
  }
}
