#include "tests/cuda/fake/errors.h"

namespace fake {

using namespace tide::cuda;

namespace {

struct Error {
  Result number;
  const char *name, *text;
};
constexpr Error kErrors[] = {
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}};
constexpr Error kUnknown{999, "CUDA_ERROR_UNKNOWN", "unknown error"};

const Error& find(Result number) {
  for (const Error& error : kErrors)
    if (error.number == number) return error;
  return kUnknown;
}

}  // namespace

Result error_name(Result error, const char** name) {
  *name = find(error).name;
  return kSuccess;
}

Result error_text(Result error, const char** text) {
  *text = find(error).text;
  return kSuccess;
}

}  // namespace fake
