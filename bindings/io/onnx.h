// ONNX messages as tables, for scripts/tide/onnx.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - read_onnx(path, type): the message in a file as a table by field name.
/// - write_onnx(path, type, message, function): writes the file; `function` is for errors.
std::span<const luaL_Reg> onnx_functions();

}  // namespace tide::bindings
