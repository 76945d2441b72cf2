// Why products and convolutions run without Tensor Cores: for profilers and TIDE_LOG.
#pragma once

#include "runtime/types/dtype.h"

namespace tide::cuda {

/// Whether a library has enqueued an op.
struct LibraryOutcome {
  bool enqueued = false;
  /// Why Tensor Cores or the library are not used; valid as long as the process. Null if Tensor
  /// Cores are used.
  const char* refusal = nullptr;
};

/// Why the Tensor Cores of a device of this compute capability (90 is 9.0) do not support a type;
/// null if they do. `tf32`: factors of float32 may be rounded to TF32.
inline const char* tensor_core_refusal(DType type, bool tf32, int capability) {
  constexpr int kAmpere = 80, kAda = 89;
  switch (type) {
    case DType::f16:
      return nullptr;
    case DType::bf16:
      return capability >= kAmpere ? nullptr : "this GPU's Tensor Cores do not support bfloat16";
    case DType::f32:
      if (!tf32)
        return "float32 is kept exact: tide.set_float32_matmul_precision(\"high\") allows TF32";
      return capability >= kAmpere ? nullptr : "this GPU's Tensor Cores do not support TF32";
    case DType::f64: {
      // Data center GPUs: 8.0, 9.0, 10.x. The others have a few slow units.
      const bool has_them = capability == kAmpere || capability == 90 || capability / 10 == 10;
      return has_them ? nullptr : "this GPU's Tensor Cores do not support float64";
    }
    case DType::f8e4m3:
    case DType::f8e5m2:
      return capability >= kAda ? nullptr : "this GPU's Tensor Cores do not support float8";
    case DType::i8:
    case DType::u8:
      return nullptr;
    default:
      return "Tensor Cores do not support integers of more than one byte";
  }
}

}  // namespace tide::cuda
