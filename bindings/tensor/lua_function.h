// A Lua function that the runtime calls with tensors.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <vector>

#include "runtime/tensor/tensor.h"

namespace tide::bindings {

/// Keeps a Lua function alive. It is called on the thread and in the state of the current op.
class LuaFunction {
 public:
  /// The function at a stack index.
  LuaFunction(lua_State* L, int index);
  /// Does not call Lua, because it may run during a collection; the function is released later.
  ~LuaFunction();
  LuaFunction(const LuaFunction&) = delete;
  LuaFunction& operator=(const LuaFunction&) = delete;

  /// The function's result for x; undefined if nil. A Lua error becomes an Error.
  Tensor call(const Tensor& x) const { return call({&x, 1}, 1)[0]; }
  /// The first `results` results for several arguments; undefined for nil.
  std::vector<Tensor> call(std::span<const Tensor> arguments, size_t results) const;

 private:
  int reference_;
};

}  // namespace tide::bindings
