// Arithmetic and comparison of tensors: x + 1, x < 2.
#include <string>

#include "bindings/tensor/methods.h"
#include "bindings/tensor/tensor_object.h"
#include "runtime/ops/elementwise.h"

namespace tide::bindings {
namespace {

/// An operand. Kept short: this is the way of most ops that a script records.
inline TensorOrNumber operand(lua_State* L, int index, const char* name) {
  if (const Tensor* tensor = find_tensor(L, index)) return *tensor;
  if (lua_isinteger(L, index)) return Number(static_cast<int64_t>(lua_tointeger(L, index)));
  const int type = lua_type(L, index);
  if (type == LUA_TNUMBER) return Number(lua_tonumber(L, index));
  if (type == LUA_TBOOLEAN) return Number(lua_toboolean(L, index) != 0);
  throw ArgumentError(std::string(name) + ": expected tensor or number, got " +
                      type_name(L, index));
}

using Binary = Tensor (*)(const TensorOrNumber&, const TensorOrNumber&);

template <Binary kOp, const char* kName>
int binary(lua_State* L) {
  push_tensor(L, kOp(operand(L, 1, kName), operand(L, 2, kName)));
  return 1;
}

template <Tensor (*kOp)(const Tensor&), const char* kName>
int unary(lua_State* L) {
  push_tensor(L, kOp(check_tensor(L, 1, kName)));
  return 1;
}

Tensor plus(const TensorOrNumber& a, const TensorOrNumber& b) { return add(a, b); }
Tensor minus(const TensorOrNumber& a, const TensorOrNumber& b) { return sub(a, b); }
Tensor divided(const TensorOrNumber& a, const TensorOrNumber& b) { return div(a, b); }

/// The value of an operand of < or <=: a number, or a tensor without dimensions, which is read.
double comparable(lua_State* L, int index) {
  const Tensor* x = find_tensor(L, index);
  if (!x && lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  if (!x)
    throw ArgumentError(std::string("comparison: expected tensor or number, got ") +
                        type_name(L, index));
  if (x->numel() != 1)
    throw ShapeError("comparison: < and <= compare single values: got shape " + x->shape().text() +
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

/// The same array, though perhaps by another handle.
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

const luaL_Reg kMetamethods[] = {
    {"__add", guard<binary<plus, kAdd>>},
    {"__sub", guard<binary<minus, kSub>>},
    {"__mul", guard<binary<mul, kMul>>},
    {"__div", guard<binary<divided, kDiv>>},
    {"__idiv", guard<binary<floor_divide, kFloorDiv>>},
    {"__mod", guard<binary<remainder, kMod>>},
    {"__pow", guard<binary<pow, kPow>>},
    {"__band", guard<binary<bitwise_and, kAnd>>},
    {"__bor", guard<binary<bitwise_or, kOr>>},
    {"__bxor", guard<binary<bitwise_xor, kXor>>},
    {"__shl", guard<binary<bitwise_left_shift, kShl>>},
    {"__shr", guard<binary<bitwise_right_shift, kShr>>},
    {"__unm", guard<unary<neg, kSub>>},
    {"__bnot", guard<unary<bitwise_not, kXor>>},
    {"__lt", guard<less>},
    {"__le", guard<less_or_equal>},
    {"__eq", guard_lookup<same>},
    {"__concat", concatenated},
    {nullptr, nullptr},
};

}  // namespace

void add_operators(lua_State* L) { luaL_setfuncs(L, kMetamethods, 0); }

}  // namespace tide::bindings
