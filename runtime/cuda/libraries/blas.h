// Matrix products by cuBLASLt, which is opened at run time where it is installed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/libraries/blas_api.h"
#include "runtime/cuda/libraries/tensor_cores.h"
#include "runtime/cuda/libraries/workspace.h"

namespace tide::cuda {

/// What a product is of, besides shapes and addresses.
struct ProductForm {
  DType a, b, result;
  bool tf32 = false;  ///< factors of float32 may be rounded to TF32
  /// Of float8: what a and b are multiplied by, float32 on the device.
  const void *a_scale = nullptr, *b_scale = nullptr;
};

/// The products of one device. Used by its queue's thread, with its context current.
class Blas {
 public:
  /// For a card of this compute capability (90 is 9.0). `workspace` outlives it.
  Blas(int capability, Workspace& workspace) : capability_(capability), workspace_(workspace) {}
  Blas(const Blas&) = delete;

  /// Whether a card of this compute capability multiplies float8, and the library is there. From
  /// any thread.
  static bool takes_float8(int capability);

  /// The first so many bytes of a stream's workspace are the products'.
  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;

  /// Enqueues the product, unless cuBLASLt is not there or takes no such product: strides that are
  /// not a matrix's, batches without one stride, integers (it takes i8 with a result of i32, b's
  /// columns dense, n and k multiples of 4), float8 but for a's rows and b's columns dense, n and k
  /// multiples of 16, or one at which it failed before. Throws MemoryError if there is no room. The
  /// way is chosen by shapes, types, layouts and alignment alone, and gives the same bits in every
  /// run: one algorithm per plan, a workspace of one size, and split sums that meet in a fixed
  /// order.
  LibraryOutcome multiply(const MatmulArguments& product, const ProductForm& form, Stream stream);

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
