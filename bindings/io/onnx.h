// ONNX messages as tables, for scripts/tide/onnx.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// read_onnx(path, type, function): the message in a file as a table by field name.
int read_onnx_file(lua_State* L);
/// write_onnx(path, type, table, function): writes the file.
int write_onnx_file(lua_State* L);

}  // namespace tide::bindings
