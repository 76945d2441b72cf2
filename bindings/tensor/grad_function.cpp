// x.grad_fn: the op that computed a tensor, as a Lua value.
#include "runtime/autograd/grad_function.h"

#include <string>
#include <string_view>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/object.h"
#include "bindings/tensor/methods.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<GradFunction>{"tide.GradFunction"};

namespace {

void push_function(lua_State* L, const std::optional<GradFunction>& function) {
  if (function)
    push_object(L, *function);
  else
    lua_pushnil(L);
}

/// A list of pairs {function or nil, index of its result, from 1}.
int push_inputs(lua_State* L, const GradFunction& function) {
  const auto inputs = function.inputs();
  lua_createtable(L, static_cast<int>(inputs.size()), 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    lua_createtable(L, 2, 0);
    push_function(L, inputs[i].function);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, inputs[i].result + 1);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

int push_name(lua_State* L) {
  lua_pushstring(L, check<GradFunction>(L, 1, "grad_fn.name").name().c_str());
  return 1;
}

int field(lua_State* L) {
  const auto& function = check<GradFunction>(L, 1, "grad_fn");
  const std::string_view name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (name == "name") {
    lua_pushcfunction(L, guard_lookup<push_name>);
    return 1;
  }
  if (name == "next_functions") return push_inputs(L, function);
  if (name == "variable") {
    push_tensor(L, function.variable());
    return 1;
  }
  return raise_unknown_name(L, "grad_fn");
}

int field_names(lua_State* L) {
  lua_createtable(L, 0, 3);
  for (const char* name : {"name", "next_functions", "variable"}) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, name);
  }
  return 1;
}

/// "MulBackward (lesson.lua:12)".
int text(lua_State* L) {
  const auto& function = check<GradFunction>(L, 1, "tostring");
  const CallSite site = function.site();
  const std::string text = function.name() + (site.known() ? " (" + site.text() + ")" : "");
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

int equal(lua_State* L) {
  const auto *a = find<GradFunction>(L, 1), *b = find<GradFunction>(L, 2);
  lua_pushboolean(L, a && b && *a == *b);
  return 1;
}

}  // namespace

void push_grad_function(lua_State* L, const Tensor& x) { push_function(L, GradFunction::of(x)); }

void open_grad_function_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__index", guard_lookup<field>},
                                  {"__names", guard_lookup<field_names>},
                                  {"__tostring", guard_lookup<text>},
                                  {"__eq", guard_lookup<equal>},
                                  {nullptr, nullptr}};
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<GradFunction>(L, metamethods, none);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
