// Matrix products by cuBLASLt, which is opened at run time if installed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/libraries/blas_api.h"
#include "runtime/cuda/libraries/tensor_cores.h"
#include "runtime/cuda/libraries/workspace.h"
#include "runtime/types/dtype.h"

namespace tide::cuda {

/// The types and scales of a product.
struct ProductForm {
  DType a, b, result;
  bool tf32 = false;  ///< factors of float32 may be rounded to TF32
  /// For float8: the scales of a and b, float32 on the device.
  const void *a_scale = nullptr, *b_scale = nullptr;
};

/// The products of one device. Used by its queue's thread, with its context current.
class Blas {
 public:
  /// For a device of this compute capability (90 is 9.0). `workspace` must outlive it.
  Blas(int capability, Workspace& workspace) : capability_(capability), workspace_(workspace) {}
  Blas(const Blas&) = delete;

  /// Whether devices of this compute capability multiply float8, and the library is available.
  /// Thread-safe.
  static bool takes_float8(int capability);

  /// The first bytes of a stream's workspace, reserved for products.
  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;

  /// Enqueues the product if cuBLASLt is available and supports it: contiguous rows or columns and
  /// a uniform batch stride; of integers only i8 to i32 (b's columns contiguous, n and k multiples
  /// of 4); float8 only with a's rows and b's columns contiguous, n and k multiples of 16. Throws
  /// LaunchShortage if memory runs out. Results are reproducible: the algorithm depends only on
  /// shapes, types, layouts and alignment, and split sums are added in a fixed order.
  LibraryOutcome multiply(const MatmulArguments& product, const ProductForm& form,
                          CudaStream stream);

 private:
  struct Plan {
    bool possible = false;
    blas::Description description = nullptr;
    blas::Layout a = nullptr, b = nullptr, c = nullptr;
    blas::Algorithm algorithm{};
    const char* refusal = nullptr;
  };
  bool open();
  Plan& plan(const std::vector<int64_t>& key, const ProductForm& form);
  Plan make_plan(const std::vector<int64_t>& key);
  const char* refusal_of(const std::vector<int64_t>& key, const ProductForm& form) const;

  const int capability_;
  Workspace& workspace_;
  bool tried_ = false;
  blas::Handle handle_ = nullptr;
  const char* unused_ = nullptr;  ///< why there is no handle
  std::map<std::vector<int64_t>, Plan> plans_;
};

}  // namespace tide::cuda
