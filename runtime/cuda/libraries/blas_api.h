// The part of cuBLASLt's interface that tide uses, declared here so that the build does not need
// the toolkit; driver_api_check.cpp compares it with cublasLt.h if that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda::blas {

using Status = int;  ///< cublasStatus_t; 0: success
constexpr Status kAllocationFailed = 3;
using Handle = void*;
using Description = void*;
using Layout = void*;
using Preference = void*;

struct Algorithm {
  uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct Choice {
  Algorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

enum DataType : int {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kInt8 = 3,
  kInt32 = 10,
  kBFloat16 = 14,
  kFloat8E4M3 = 28,
  kFloat8E5M2 = 29
};
enum ComputeType : int {
  kCompute32 = 68,
  kCompute64 = 70,
  kComputeInteger = 72,
  kComputeTf32 = 77
};
enum DescriptionField : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kScaleA = 17,
  kScaleB = 18
};
enum LayoutField : int { kBatchCount = 5, kBatchStride = 6 };
enum PreferenceField : int {
  kWorkspaceBytes = 1,
  kReductionSchemes = 3,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8
};
constexpr int kNotTransposed = 0, kTransposed = 1;
constexpr int kEpilogueBias = 4;
/// Partial sums are stored in the workspace and added in the compute type by a second kernel:
/// reproducible. The in-place scheme rounds each partial sum to the result's type.
constexpr uint32_t kReduceInComputeType = 2;

#define TIDE_CUDA_BLAS(X)                                                                       \
  X(create, "cublasLtCreate", (Handle * handle))                                                \
  X(describe, "cublasLtMatmulDescCreate",                                                       \
    (Description * made, ComputeType compute, DataType scale))                                  \
  X(set_description, "cublasLtMatmulDescSetAttribute",                                          \
    (Description description, DescriptionField field, const void* value, size_t bytes))         \
  X(make_layout, "cublasLtMatrixLayoutCreate",                                                  \
    (Layout * made, DataType type, uint64_t rows, uint64_t columns, int64_t stride))            \
  X(set_layout, "cublasLtMatrixLayoutSetAttribute",                                             \
    (Layout layout, LayoutField field, const void* value, size_t bytes))                        \
  X(make_preference, "cublasLtMatmulPreferenceCreate", (Preference * made))                     \
  X(set_preference, "cublasLtMatmulPreferenceSetAttribute",                                     \
    (Preference preference, PreferenceField field, const void* value, size_t bytes))            \
  X(destroy_preference, "cublasLtMatmulPreferenceDestroy", (Preference preference))             \
  X(choose, "cublasLtMatmulAlgoGetHeuristic",                                                   \
    (Handle handle, Description description, Layout a, Layout b, Layout c, Layout d,            \
     Preference preference, int wanted, Choice* choices, int* found))                           \
  X(multiply, "cublasLtMatmul",                                                                 \
    (Handle handle, Description description, const void* alpha, const void* a, Layout a_layout, \
     const void* b, Layout b_layout, const void* beta, const void* c, Layout c_layout, void* d, \
     Layout d_layout, const Algorithm* algorithm, void* workspace, size_t workspace_bytes,      \
     CudaStream stream))

struct Table {
#define TIDE_MEMBER(member, name, parameters) Status(*member) parameters = nullptr;
  TIDE_CUDA_BLAS(TIDE_MEMBER)
#undef TIDE_MEMBER
};

}  // namespace tide::cuda::blas
