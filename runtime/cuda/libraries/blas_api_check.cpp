// Compares blas_api.h with the toolkit's own header; compiles to nothing.
#include <cublasLt.h>

#include "runtime/cuda/driver/check_calls.h"
#include "runtime/cuda/libraries/blas_api.h"

namespace tide::cuda {
namespace {

#define TIDE_SAME(member, function) \
  static_assert(same_call(decltype(blas::Table::member)(), &function))
TIDE_SAME(create, cublasLtCreate);
TIDE_SAME(describe, cublasLtMatmulDescCreate);
TIDE_SAME(set_description, cublasLtMatmulDescSetAttribute);
TIDE_SAME(make_layout, cublasLtMatrixLayoutCreate);
TIDE_SAME(set_layout, cublasLtMatrixLayoutSetAttribute);
TIDE_SAME(make_preference, cublasLtMatmulPreferenceCreate);
TIDE_SAME(set_preference, cublasLtMatmulPreferenceSetAttribute);
TIDE_SAME(destroy_preference, cublasLtMatmulPreferenceDestroy);
TIDE_SAME(choose, cublasLtMatmulAlgoGetHeuristic);
TIDE_SAME(multiply, cublasLtMatmul);
#undef TIDE_SAME
static_assert(sizeof(blas::Choice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(blas::Choice, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(blas::Choice, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(blas::kFloat32 == int{CUDA_R_32F} && blas::kFloat64 == int{CUDA_R_64F});
static_assert(blas::kFloat16 == int{CUDA_R_16F} && blas::kBFloat16 == int{CUDA_R_16BF});
static_assert(blas::kInt8 == int{CUDA_R_8I} && blas::kInt32 == int{CUDA_R_32I});
static_assert(blas::kComputeInteger == int{CUBLAS_COMPUTE_32I});
static_assert(blas::kCompute32 == int{CUBLAS_COMPUTE_32F} &&
              blas::kCompute64 == int{CUBLAS_COMPUTE_64F} &&
              blas::kComputeTf32 == int{CUBLAS_COMPUTE_32F_FAST_TF32});
static_assert(blas::kTransposeA == int{CUBLASLT_MATMUL_DESC_TRANSA});
static_assert(blas::kTransposeB == int{CUBLASLT_MATMUL_DESC_TRANSB});
static_assert(blas::kEpilogue == int{CUBLASLT_MATMUL_DESC_EPILOGUE});
static_assert(blas::kBiasPointer == int{CUBLASLT_MATMUL_DESC_BIAS_POINTER});
static_assert(blas::kBatchCount == int{CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT});
static_assert(blas::kBatchStride == int{CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET});
static_assert(blas::kWorkspaceBytes == int{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES});
static_assert(blas::kReductionSchemes == int{CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK});
static_assert(blas::kAlignmentA == int{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES});
static_assert(blas::kAlignmentB == int{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES});
static_assert(blas::kAlignmentC == int{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES});
static_assert(blas::kAlignmentD == int{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES});
static_assert(blas::kNotTransposed == int{CUBLAS_OP_N} && blas::kTransposed == int{CUBLAS_OP_T});
static_assert(blas::kEpilogueBias == int{CUBLASLT_EPILOGUE_BIAS});
static_assert(blas::kAllocationFailed == int{CUBLAS_STATUS_ALLOC_FAILED});
static_assert(blas::kReduceInComputeType == int{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});

}  // namespace
}  // namespace tide::cuda
