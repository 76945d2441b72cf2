// The reference, made of the rows that functions are registered from: the source of tide.help, the
// manual and the annotations for editors.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <string>
#include <vector>

#include "bindings/support/function.h"

namespace tide::bindings {

/// A parameter of an op. (Those of other functions are described by their signature alone.)
struct ReferenceParameter {
  std::string name;
  const char* kind;  ///< what it takes, in words: "tensor or number"
  bool optional, rest;
};

/// One public name.
struct ReferenceEntry {
  std::string name;       ///< without a prefix: "matmul"
  std::string signature;  ///< as it is called: "x:matmul(other)"
  std::string doc;
  std::string family;
  const char* example;                         ///< a line of Lua; see reference/example.lua
  const char* results;                         ///< of ops: "Tensor, Tensor"; else null
  std::vector<ReferenceParameter> parameters;  ///< of ops
};

/// Every public function and method that is not written in Lua, family by family.
const std::vector<ReferenceEntry>& reference();

/// Families of functions written by hand; those of ops come from their rows.
std::span<const FunctionFamily> function_families();

/// Pushes a table of all entries with their fields, for the manual and the tests.
int push_reference(lua_State* L);

/// Pushes a list of the environment variables: {name, values, otherwise, about}.
int push_environment(lua_State* L);

}  // namespace tide::bindings
