// Collects the parameters and notes of ops and functions.
#include "bindings/reference/notes.h"

namespace tide::bindings {
namespace {

struct Notes {
  const char* names;
  const char* text;
};

#undef TIDE_OP
#undef TIDE_NOTES
#define TIDE_OP(...)
#define TIDE_NOTES(names, text) {names, text},

constexpr Notes kNotes[] = {
// clang-format off
#include "bindings/ops/rows/creation.def"
#include "bindings/ops/rows/elementwise.def"
#include "bindings/ops/rows/special.def"
#include "bindings/ops/rows/reduction.def"
#include "bindings/ops/rows/scan.def"
#include "bindings/ops/rows/shape_ops.def"
#include "bindings/ops/rows/indexing.def"
#include "bindings/ops/rows/joining.def"
#include "bindings/ops/rows/arrangement.def"
#include "bindings/ops/rows/statistics.def"
#include "bindings/ops/rows/matrix.def"
#include "bindings/ops/rows/linalg.def"
#include "bindings/ops/rows/softmax.def"
#include "bindings/ops/rows/normalization.def"
#include "bindings/ops/rows/convolution.def"
#include "bindings/ops/rows/pooling.def"
#include "bindings/ops/rows/loss.def"
#include "bindings/ops/rows/parameters.def"
#include "bindings/reference/functions.def"
    // clang-format on
};

#undef TIDE_OP
#undef TIDE_NOTES

}  // namespace

int push_notes(lua_State* L) {
  lua_newtable(L);
  for (const Notes& notes : kNotes) {
    lua_createtable(L, 2, 0);
    lua_pushstring(L, notes.names);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, notes.text);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
  }
  return 1;
}

}  // namespace tide::bindings
