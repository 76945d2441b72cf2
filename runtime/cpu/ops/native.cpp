// Finds the routine of a native op.
#include "runtime/cpu/ops/native.h"

namespace tide {

NativeFunction native_function(NativeOp op) {
  static constexpr NativeFunction functions[] = {
#define TIDE_NATIVE(name, heavy) native_##name,
#include "runtime/ir/native_ops.def"
#undef TIDE_NATIVE
  };
  return functions[static_cast<int>(op)];
}

}  // namespace tide
