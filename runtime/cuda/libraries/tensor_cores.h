// Why products and convolutions run without Tensor Cores: for profilers and TIDE_LOG.
#pragma once

#include "runtime/core/dtype.h"

namespace tide::cuda {

/// What became of an op that was offered to a library.
struct LibraryOutcome {
  bool enqueued = false;
  /// Why no Tensor Core is used, or why the op was not taken, in a few words that live as long as
  /// the process; null if nothing keeps it from them.
  const char* refusal = nullptr;
};

/// What a type alone keeps from the Tensor Cores of a card of this compute capability (90 is 9.0),
/// in a few words; null if nothing. `tf32`: factors of float32 may be rounded to TF32.
inline const char* tensor_core_refusal(DType type, bool tf32, int capability) {
  constexpr int kAmpere = 80, kAda = 89;
  switch (type) {
    case DType::f16:
      return nullptr;
    case DType::bf16:
      return capability >= kAmpere ? nullptr : "the card's Tensor Cores do not take bfloat16";
    case DType::f32:
      if (!tf32)
        return "float32 is kept exact: tide.set_float32_matmul_precision(\"high\") lets it be TF32";
      return capability >= kAmpere ? nullptr : "the card's Tensor Cores do not take TF32";
    case DType::f64: {
      // Data centre cards: 8.0, 9.0, 10.x. The others have a few slow units.
      const bool has_them = capability == kAmpere || capability == 90 || capability / 10 == 10;
      return has_them ? nullptr : "the card's Tensor Cores do not take float64";
    }
    case DType::f8e4m3:
    case DType::f8e5m2:
      return capability >= kAda ? nullptr : "the card's Tensor Cores do not take float8";
    case DType::i8:
    case DType::u8:
      return nullptr;
    default:
      return "Tensor Cores take no integers of more than one byte";
  }
}

}  // namespace tide::cuda
