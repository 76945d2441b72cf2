// Finds CUDA's libraries: by TIDE_CUDA_PATH, the dynamic linker, in toolkits and in Python wheels.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tide::cuda {

/// The paths that TIDE_CUDA_PATH names (separated by colons): files as they are; for a folder, the
/// library `file` in it, its lib64 and its lib.
std::vector<std::string> requested_paths(const char* file);

/// Opens the first of the libraries `files` (newest first) that loads and is accepted: from
/// TIDE_CUDA_PATH, the dynamic linker, toolkits, then Python wheels. Null if none does. Never
/// closed.
void* open_library(const std::vector<const char*>& files,
                   const std::function<bool(void*)>& is_accepted);

}  // namespace tide::cuda
