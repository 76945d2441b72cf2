// Reads the arguments of recurrent layers.
#include "bindings/tensor/recurrence.h"

#include <optional>
#include <vector>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/push.h"
#include "runtime/ops/nn/recurrence.h"

namespace tide::bindings {
namespace {

constexpr const char* kName = "recurrence";

std::vector<Tensor> tensors_at(lua_State* L, int index) {
  std::vector<Tensor> tensors;
  for (lua_Unsigned i = 1; i <= lua_rawlen(L, index); ++i) {
    lua_rawgeti(L, index, static_cast<lua_Integer>(i));
    tensors.push_back(check_tensor(L, -1, kName));
    lua_pop(L, 1);
  }
  return tensors;
}

/// The first three arguments.
Recurrence recurrence_at_bottom(lua_State* L) {
  constexpr const char* kCells[] = {"tanh", "relu", "lstm", "gru", nullptr};
  Recurrence recurrence{static_cast<RecurrenceCell>(luaL_checkoption(L, 1, nullptr, kCells)),
                        lua_toboolean(L, 2) != 0,
                        {}};
  luaL_checktype(L, 3, LUA_TTABLE);
  for (lua_Unsigned i = 1; i <= lua_rawlen(L, 3); ++i) {
    lua_rawgeti(L, 3, static_cast<lua_Integer>(i));
    recurrence.sizes.push_back(lua_tointeger(L, -1));
    lua_pop(L, 1);
  }
  return recurrence;
}

}  // namespace

int does_recurrence_of(lua_State* L) {
  lua_pushboolean(L, does_recurrence(check_tensor(L, 1, kName)));
  return 1;
}

int run_recurrence(lua_State* L) {
  const Recurrence layer = recurrence_at_bottom(L);
  std::optional<Tensor> bias;
  if (!lua_isnil(L, 7)) bias = check_tensor(L, 7, kName);
  return push_result(L, recurrence(layer, check_tensor(L, 4, kName), tensors_at(L, 5),
                                   check_tensor(L, 6, kName), bias, lua_toboolean(L, 8)));
}

int run_recurrence_backward(lua_State* L) {
  const Recurrence layer = recurrence_at_bottom(L);
  return push_result(
      L, recurrence_backward(layer, tensors_at(L, 4), tensors_at(L, 5), check_tensor(L, 6, kName)));
}

}  // namespace tide::bindings
