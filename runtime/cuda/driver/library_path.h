// Where CUDA's libraries lie: TIDE_CUDA_PATH, the system's loader, toolkits, and Python wheels.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tide::cuda {

/// What TIDE_CUDA_PATH names: of its parts (separated by colons) files as they are, and in folders,
/// their lib64 and their lib the library `file`.
std::vector<std::string> places_asked_for(const char* file);

/// Opens the first of the libraries `files` (newest first) that loads and is accepted: in
/// TIDE_CUDA_PATH's folders, by the system's loader, in toolkits, then in Python wheels. Null if
/// there is none. Never closed.
void* open_library(const std::vector<const char*>& files,
                   const std::function<bool(void*)>& is_accepted);

}  // namespace tide::cuda
