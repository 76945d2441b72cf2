// Matrix products by cuBLASLt, which is opened at run time where it is installed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/cuda/blas_api.h"
#include "runtime/cuda/kernels/arguments.h"

namespace tide::cuda {

/// The products of one device. Used by its queue's thread, with its context current.
class Blas {
 public:
  Blas() = default;
  Blas(const Blas&) = delete;

  /// Enqueues the product; false if cuBLASLt is not there or takes no such product: strides that
  /// are not a matrix's, batches without one stride, integers. The way is chosen by shapes, types,
  /// layouts and alignment alone.
  bool multiply(const MatmulArguments& product, DType type, Stream stream);

 private:
  struct Plan {
    bool possible = false;
    blas::Description description = nullptr;
    blas::Layout a = nullptr, b = nullptr, c = nullptr;
    blas::Algorithm algorithm{};
  };
  bool open();
  Plan& plan(const std::vector<int64_t>& key);
  Plan make_plan(const std::vector<int64_t>& key);

  bool tried_ = false;
  blas::Handle handle_ = nullptr;
  DevicePointer workspace_ = 0;
  size_t workspace_bytes_ = 0;
  std::map<std::vector<int64_t>, Plan> plans_;
};

}  // namespace tide::cuda
