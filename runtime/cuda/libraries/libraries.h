// The libraries beside the driver: which files they are, and what there is of them on this machine.
#pragma once

#include <string>

namespace tide::cuda {

enum class Library { cublas, cudnn, nccl, cupti, nvml };

/// Opens the newest of its files that loads and was made for the driver's CUDA or an older one: in
/// TIDE_CUDA_PATH's folders, by the system's loader, in toolkits, then in Python wheels. Null if
/// there is none. Never closed.
void* open_library(Library library);

/// "9.12.1"; empty if the library does not report it.
std::string version_of(Library which, void* library);

/// Why work is done without a library: it is not there, is too old, needs a newer driver, or does
/// not start. `status`: what it answered when it was started; 0 if it was not. Lives as long as the
/// process.
const char* reason_without(Library which, int status);

/// A line per library: where it was found and its version, or what to do to have it, and what its
/// lack costs. Opens them all, and starts cuBLASLt and cuDNN on the first card. One that does not
/// start, or needs a newer driver, is named.
std::string describe_libraries();

}  // namespace tide::cuda
