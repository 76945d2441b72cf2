// The reference, created from the rows of functions: the source of tide.help, the manual and the
// annotations for editors.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <string>
#include <vector>

#include "bindings/support/function.h"

namespace tide::bindings {

/// A parameter of an op. (Other functions are described only by their signature.)
struct ReferenceParameter {
  std::string name;
  const char* kind;  ///< the expected values: "tensor or number"
  bool optional, rest;
};

/// One public name.
struct ReferenceEntry {
  std::string name;       ///< without a prefix: "matmul"
  std::string signature;  ///< as called: "x:matmul(other)"
  std::string doc;
  std::string family;
  std::string example;                         ///< a line of Lua; see reference/example.lua
  const char* results;                         ///< of ops: "Tensor, Tensor"; else null
  std::vector<ReferenceParameter> parameters;  ///< of ops
};

/// All public functions and methods not written in Lua, by family.
const std::vector<ReferenceEntry>& reference();

/// Families of handwritten functions; those of ops come from their rows.
std::span<const FunctionFamily> function_families();

/// Pushes a table of all entries with their fields, for the manual and the tests.
int push_reference(lua_State* L);

/// Pushes a list of the environment variables: {name, values, otherwise, about}.
int push_environment(lua_State* L);

}  // namespace tide::bindings
