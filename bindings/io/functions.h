// The functions on files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "bindings/support/function.h"

namespace tide::bindings {

/// Fields of "tide.native" for tide.save and tide.load:
/// - save(tensors, path, metadata?): writes a safetensors file.
/// - load(path, device?, only?): the tensors by name, and the metadata.
std::span<const luaL_Reg> safetensors_functions();
/// Fields of "tide.native":
/// - terminal_columns(): the width of the terminal on standard error; nothing if it is not a
///   terminal.
/// - terminal_size(): columns, rows and the width in pixels (0: unknown) of the terminal on
///   standard output; nothing if it is not a terminal.
/// - break_lines(text): see tide_break_lines.
/// - ask_terminal(question, last, seconds): the terminal's reply up to the character `last`; nil
///   without a terminal, if input is pending, or on timeout.
std::span<const luaL_Reg> terminal_functions();
/// tide.scratch.
std::span<const Function> scratch_functions();
/// tide.np.*: npy and npz.
std::span<const Function> numpy_functions();

}  // namespace tide::bindings
