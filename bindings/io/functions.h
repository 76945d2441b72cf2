// The functions on files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "bindings/support/function.h"

namespace tide::bindings {

/// tide.save and tide.load: safetensors.
std::span<const Function> file_functions();
/// tide.scratch.
std::span<const Function> scratch_functions();
/// tide.np.*: npy and npz.
std::span<const Function> numpy_functions();

}  // namespace tide::bindings
