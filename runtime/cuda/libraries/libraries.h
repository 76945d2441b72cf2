// The libraries besides the driver: their files, and which of them this machine has.
#pragma once

#include <string>

namespace tide::cuda {

enum class Library { cublas, cudnn, nccl, cupti, nvml };

/// Opens the newest of its files that loads and is for the driver's CUDA version or an older one:
/// from TIDE_CUDA_PATH, the dynamic linker, toolkits, then Python wheels. Null if there is none.
/// Never closed.
void* open_library(Library library);

/// "9.12.1"; empty if the library does not report it.
std::string version_of(Library which, void* library);

/// Why a library is not used: it was not found, is too old, needs a newer driver, or failed to
/// initialize. `status`: that of the initialization, 0 if there was none. Valid as long as the
/// process.
const char* reason_without(Library which, int status);

/// A line per library: its path and version, or how to install it and the consequence of its
/// absence. Opens them all, and initializes cuBLASLt and cuDNN on the first device; reports those
/// that fail or need a newer driver.
std::string describe_libraries();

}  // namespace tide::cuda
