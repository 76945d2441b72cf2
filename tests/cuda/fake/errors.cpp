#include "tests/cuda/fake/errors.h"

namespace fake {

using namespace tide::cuda;

Result error_name(Result error, const char** name) {
  switch (error) {
    case kOutOfMemory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case kDeviceUnavailable:
      *name = "CUDA_ERROR_DEVICE_UNAVAILABLE";
      break;
    case kNoDevice:
      *name = "CUDA_ERROR_NO_DEVICE";
      break;
    case kInvalidPtx:
      *name = "CUDA_ERROR_INVALID_PTX";
      break;
    case kIllegalAddress:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      break;
    case kLaunchFailed:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      break;
    default:
      *name = "CUDA_ERROR_UNKNOWN";
  }
  return kSuccess;
}

Result error_text(Result error, const char** text) {
  switch (error) {
    case kOutOfMemory:
      *text = "out of memory";
      break;
    case kDeviceUnavailable:
      *text = "CUDA-capable device(s) is/are busy or unavailable";
      break;
    case kNoDevice:
      *text = "no CUDA-capable device is detected";
      break;
    case kInvalidPtx:
      *text = "a PTX JIT compilation failed";
      break;
    case kIllegalAddress:
      *text = "an illegal memory access was encountered";
      break;
    case kLaunchFailed:
      *text = "unspecified launch failure";
      break;
    default:
      *text = "unknown error";
  }
  return kSuccess;
}

}  // namespace fake
