// Messages of ONNX's schema as tables, for scripts/tide/onnx.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// read_onnx(path, type, function): the message of a file as a table by the names of its fields.
int read_onnx_file(lua_State* L);
/// write_onnx(path, type, table, function): replaces the file.
int write_onnx_file(lua_State* L);

}  // namespace tide::bindings
