// The reference that scripts read with tide.help, made of the rows that functions are registered
// from.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <string>
#include <vector>

#include "bindings/support/function.h"

namespace tide::bindings {

/// One public name.
struct ReferenceEntry {
  std::string name;       ///< without a prefix: "matmul"
  std::string signature;  ///< as it is called: "x:matmul(other)"
  std::string doc;
  std::string family;
};

/// Every public function and method that is not written in Lua, family by family.
const std::vector<ReferenceEntry>& reference();

/// Families of functions written by hand; those of ops come from their rows.
std::span<const FunctionFamily> function_families();

/// tide.help.
std::span<const Function> reference_functions();

/// Pushes the table in which the library keeps help: from functions and names to texts.
void push_library_help(lua_State* L);

/// Pushes a table {name, signature, doc, family} of all entries, for tests and documentation.
int push_reference(lua_State* L);

}  // namespace tide::bindings
