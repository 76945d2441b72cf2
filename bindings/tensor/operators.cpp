// Arithmetic and comparison of tensors: x + 1, x < 2.
#include <string>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/stand_in.h"
#include "bindings/support/arguments.h"
#include "bindings/tensor/methods.h"
#include "runtime/ops/elementwise/elementwise.h"

namespace tide::bindings {
namespace {

/// An operand. Inlined, because most ops of scripts are operators.
inline TensorOrNumber operand(lua_State* L, int index, const char* name) {
  if (const Tensor* tensor = find_tensor(L, index)) return *tensor;
  if (lua_isinteger(L, index)) return Number(static_cast<int64_t>(lua_tointeger(L, index)));
  const int type = lua_type(L, index);
  if (type == LUA_TNUMBER) return Number(lua_tonumber(L, index));
  if (type == LUA_TBOOLEAN) return Number(lua_toboolean(L, index) != 0);
  throw_expected(L, index, name, "tensor or number");
}

using Binary = Tensor (*)(const TensorOrNumber&, const TensorOrNumber&);

/// Calls the metamethod of a tensor-like operand.
int call_metamethod(lua_State* L, const char* event) {
  lua_settop(L, 2);
  if (luaL_getmetafield(L, is_stand_in(L, 1) ? 1 : 2, event) == LUA_TNIL) return 0;
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

template <Binary kOp, const char* kName, const char* kEvent>
int binary(lua_State* L) {
  if (is_stand_in(L, 1) || is_stand_in(L, 2)) return call_metamethod(L, kEvent);
  const OpSpan span(kEvent + 2);  // "add" of "__add"
  push_tensor(L, kOp(operand(L, 1, kName), operand(L, 2, kName)));
  return 1;
}

template <Tensor (*kOp)(const Tensor&), const char* kName, const char* kEvent>
int unary(lua_State* L) {
  const OpSpan span(kEvent + 2);
  push_tensor(L, kOp(check_tensor(L, 1, kName)));
  return 1;
}

Tensor plus(const TensorOrNumber& a, const TensorOrNumber& b) { return add(a, b); }
Tensor minus(const TensorOrNumber& a, const TensorOrNumber& b) { return sub(a, b); }
Tensor divided(const TensorOrNumber& a, const TensorOrNumber& b) { return div(a, b); }

/// The value of an operand of < or <=: a number, or a tensor without dimensions. Waits.
double comparable(lua_State* L, int index) {
  const Tensor* x = find_tensor(L, index);
  if (!x && lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  if (!x) throw_expected(L, index, "comparison", "tensor or number");
  if (x->numel() != 1)
    throw ShapeError("comparison: < and <= compare single values, got shape " + x->shape().text() +
                     "; elementwise ones are methods: x:lt(y), x:le(y)");
  return HostValues(*x, "comparison").real_at(0);
}

int less(lua_State* L) {
  lua_pushboolean(L, comparable(L, 1) < comparable(L, 2));
  return 1;
}

int less_or_equal(lua_State* L) {
  lua_pushboolean(L, comparable(L, 1) <= comparable(L, 2));
  return 1;
}

/// Whether two handles refer to the same array.
int same(lua_State* L) {
  const Tensor* a = find_tensor(L, 1);
  const Tensor* b = find_tensor(L, 2);
  lua_pushboolean(L, a && b && *a == *b);
  return 1;
}

int concatenated(lua_State* L) {
  luaL_tolstring(L, 1, nullptr);
  luaL_tolstring(L, 2, nullptr);
  lua_concat(L, 2);
  return 1;
}

constexpr char kAdd[] = "+", kSub[] = "-", kMul[] = "*", kDiv[] = "/", kFloorDiv[] = "//",
               kMod[] = "%", kPow[] = "^", kAnd[] = "&", kOr[] = "|", kXor[] = "~", kShl[] = "<<",
               kShr[] = ">>";

constexpr char kUnmEvent[] = "__unm", kNotEvent[] = "__bnot";
constexpr char kAddEvent[] = "__add", kSubEvent[] = "__sub", kMulEvent[] = "__mul",
               kDivEvent[] = "__div", kFloorDivEvent[] = "__idiv", kModEvent[] = "__mod",
               kPowEvent[] = "__pow", kAndEvent[] = "__band", kOrEvent[] = "__bor",
               kXorEvent[] = "__bxor", kShlEvent[] = "__shl", kShrEvent[] = "__shr";

const luaL_Reg kMetamethods[] = {
    {"__add", guard<binary<plus, kAdd, kAddEvent>>},
    {"__sub", guard<binary<minus, kSub, kSubEvent>>},
    {"__mul", guard<binary<mul, kMul, kMulEvent>>},
    {"__div", guard<binary<divided, kDiv, kDivEvent>>},
    {"__idiv", guard<binary<floor_divide, kFloorDiv, kFloorDivEvent>>},
    {"__mod", guard<binary<remainder, kMod, kModEvent>>},
    {"__pow", guard<binary<pow, kPow, kPowEvent>>},
    {"__band", guard<binary<bitwise_and, kAnd, kAndEvent>>},
    {"__bor", guard<binary<bitwise_or, kOr, kOrEvent>>},
    {"__bxor", guard<binary<bitwise_xor, kXor, kXorEvent>>},
    {"__shl", guard<binary<bitwise_left_shift, kShl, kShlEvent>>},
    {"__shr", guard<binary<bitwise_right_shift, kShr, kShrEvent>>},
    {"__unm", guard<unary<neg, kSub, kUnmEvent>>},
    {"__bnot", guard<unary<bitwise_not, kXor, kNotEvent>>},
    {"__lt", guard<less>},
    {"__le", guard<less_or_equal>},
    {"__eq", guard_lookup<same>},
    {"__concat", concatenated},
    {nullptr, nullptr},
};

}  // namespace

void add_operators(lua_State* L) { luaL_setfuncs(L, kMetamethods, 0); }

}  // namespace tide::bindings
