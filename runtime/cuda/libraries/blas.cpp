// cuBLASLt's matrices are column-major, so it computes the transposed product c' = b' a'.
#include "runtime/cuda/libraries/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/libraries/alignment.h"
#include "runtime/cuda/libraries/libraries.h"
#include "runtime/cuda/libraries/tensor_cores.h"

namespace tide::cuda {
namespace {

const blas::Table* find_blas_table() {
  void* library = open_library(Library::cublas);
  if (!library) return nullptr;
  static blas::Table table;
  bool complete = true;
#define TIDE_FIND(member, name, parameters)                                      \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, name)); \
  complete = complete && table.member;
  TIDE_CUDA_BLAS(TIDE_FIND)
#undef TIDE_FIND
  return complete ? &table : nullptr;
}

const blas::Table* table() {
  static const blas::Table* const found = find_blas_table();
  return found;
}

/// Throws LaunchShortage if cuBLASLt lacks memory: tide's own kernel would round differently.
void demand_memory(blas::Status status, const char* call) {
  if (status == blas::kAllocationFailed)
    throw LaunchShortage(std::string("out of memory: ") + call + " failed");
}

/// A row-major operand for cuBLASLt: the stride of its rows, and whether it is transposed.
struct Operand {
  int64_t stride;
  bool transposed;
};

/// Nullopt if neither dimension is contiguous.
std::optional<Operand> operand(int64_t rows, int64_t columns, int64_t row_stride,
                               int64_t column_stride) {
  if (columns == 1 || column_stride == 1) {
    const int64_t stride = rows == 1 ? columns : row_stride;
    if (stride >= columns && (columns == 1 ? stride >= 1 : true)) return Operand{stride, false};
  }
  if (rows == 1 || row_stride == 1) {
    const int64_t stride = columns == 1 ? rows : column_stride;
    if (stride >= rows) return Operand{stride, true};
  }
  return std::nullopt;
}

/// The stride between the matrices of a batch; nullopt if it is not uniform.
std::optional<int64_t> batch_stride(const MatmulArguments& g, const int64_t* strides) {
  int64_t stride = 0, size = 1;
  for (int d = g.leading_rank - 1; d >= 0; --d) {
    if (g.leading[d] == 1) continue;
    if (size == 1)
      stride = strides[d];
    else if (strides[d] != stride * size)
      return std::nullopt;
    size *= g.leading[d];
  }
  return stride;
}

/// The alignment of all matrices of a batch.
int64_t batch_alignment(const void* address, int64_t batch_stride, DType type) {
  const int64_t bytes = batch_stride * static_cast<int64_t>(size_of(type));
  return std::min(alignment(address), alignment(bytes));
}

/// Indices into the key of a plan: everything that the plan depends on.
enum MatmulField : size_t {
  kMatmulTypeA,
  kMatmulTypeB,
  kMatmulResult,
  kMatmulTf32,
  kM,
  kN,
  kK,
  kStrideA,
  kStrideB,
  kStrideC,
  kTransA,
  kTransB,
  kBatch,
  kBatchA,
  kBatchB,
  kAlignBias,  // 0: no bias
  kAlignA,
  kAlignB,
  kAlignC,
  kMatmulFields
};

/// Nullopt for types that the library does not support.
std::optional<blas::DataType> data_type(DType type) {
  switch (type) {
    case DType::f32:
      return blas::kFloat32;
    case DType::f64:
      return blas::kFloat64;
    case DType::f16:
      return blas::kFloat16;
    case DType::bf16:
      return blas::kBFloat16;
    case DType::f8e4m3:
      return blas::kFloat8E4M3;
    case DType::f8e5m2:
      return blas::kFloat8E5M2;
    case DType::i8:
      return blas::kInt8;
    case DType::i32:
      return blas::kInt32;
    default:
      return std::nullopt;
  }
}

/// For the log.
std::string text_of(const std::vector<int64_t>& key, DType type) {
  return "a product " + std::to_string(key[kM]) + " x " + std::to_string(key[kK]) + " x " +
         std::to_string(key[kN]) + " of " + std::string(name_of(type));
}

}  // namespace

bool Blas::takes_float8(int capability) {
  return !tensor_core_refusal(DType::f8e4m3, false, capability) && table();
}

bool Blas::open() {
  if (tried_) return handle_ != nullptr;
  blas::Status status = 0;
  if (table()) {
    status = table()->create(&handle_);
    demand_memory(status, "cublasLtCreate");
    if (status != 0) handle_ = nullptr;
  }
  if (!handle_) unused_ = reason_without(Library::cublas, status);
  if (!handle_ && logging()) log(std::string("cuBLASLt is not used: ") + unused_);
  tried_ = true;
  return handle_ != nullptr;
}

Blas::Plan Blas::make_plan(const std::vector<int64_t>& key) {
  const blas::Table& api = *table();
  const auto type_a = static_cast<blas::DataType>(key[kMatmulTypeA]);
  const auto type_b = static_cast<blas::DataType>(key[kMatmulTypeB]);
  const auto result = static_cast<blas::DataType>(key[kMatmulResult]);
  Plan plan;
  bool good = true;
  const auto tried = [&](blas::Status status) {
    demand_memory(status, "cuBLASLt");
    good = good && status == 0;
  };
  switch (type_a) {
    case blas::kFloat64:
      tried(api.describe(&plan.description, blas::kCompute64, blas::kFloat64));
      break;
    case blas::kInt8:
      tried(api.describe(&plan.description, blas::kComputeInteger, blas::kInt32));
      break;
    default:
      tried(api.describe(&plan.description,
                         key[kMatmulTf32] ? blas::kComputeTf32 : blas::kCompute32, blas::kFloat32));
  }
  if (!good) return plan;
  const auto describe = [&](blas::DescriptionField field, int value) {
    tried(api.set_description(plan.description, field, &value, sizeof value));
  };
  describe(blas::kTransposeA, key[kTransB] ? blas::kTransposed : blas::kNotTransposed);
  describe(blas::kTransposeB, key[kTransA] ? blas::kTransposed : blas::kNotTransposed);
  if (key[kAlignBias]) {
    describe(blas::kEpilogue, blas::kEpilogueBias);
    // A placeholder with the same alignment; each run sets the real address.
    const void* some = reinterpret_cast<const void*>(key[kAlignBias]);
    tried(api.set_description(plan.description, blas::kBiasPointer, &some, sizeof some));
  }
  if (type_a == blas::kFloat8E4M3 || type_a == blas::kFloat8E5M2) {
    const void* some =
        reinterpret_cast<const void*>(kMostAlignment);  // a placeholder, set by each run
    tried(api.set_description(plan.description, blas::kScaleA, &some, sizeof some));
    tried(api.set_description(plan.description, blas::kScaleB, &some, sizeof some));
  }
  const auto layout = [&](blas::Layout* made, blas::DataType of, bool transposed, int64_t rows,
                          int64_t columns, int64_t stride, int64_t batch) {
    if (transposed) std::swap(rows, columns);
    tried(api.make_layout(made, of, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                          stride));
    if (!good || key[kBatch] == 1) return;
    const auto count = static_cast<int32_t>(key[kBatch]);
    tried(api.set_layout(*made, blas::kBatchCount, &count, sizeof count));
    tried(api.set_layout(*made, blas::kBatchStride, &batch, sizeof batch));
  };
  layout(&plan.a, type_b, key[kTransB], key[kN], key[kK], key[kStrideB], key[kBatchB]);
  layout(&plan.b, type_a, key[kTransA], key[kK], key[kM], key[kStrideA], key[kBatchA]);
  layout(&plan.c, result, false, key[kN], key[kM], key[kStrideC], key[kM] * key[kN]);
  blas::Preference preference = nullptr;
  tried(api.make_preference(&preference));
  if (!good) return plan;
  const auto prefer = [&](blas::PreferenceField field, auto value) {
    tried(api.set_preference(preference, field, &value, sizeof value));
  };
  prefer(blas::kWorkspaceBytes, uint64_t{kWorkspaceBytes});
  prefer(blas::kReductionSchemes, blas::kReduceInComputeType);
  prefer(blas::kAlignmentA, static_cast<uint32_t>(key[kAlignB]));
  prefer(blas::kAlignmentB, static_cast<uint32_t>(key[kAlignA]));
  prefer(blas::kAlignmentC, static_cast<uint32_t>(key[kAlignC]));
  // There is no preference for the bias, which kernels access like the result.
  const int64_t result_alignment =
      std::min(key[kAlignC], key[kAlignBias] ? key[kAlignBias] : kMostAlignment);
  prefer(blas::kAlignmentD, static_cast<uint32_t>(result_alignment));
  blas::Choice choice{};
  int found = 0;
  tried(api.choose(handle_, plan.description, plan.a, plan.b, plan.c, plan.c, preference, 1,
                   &choice, &found));
  api.destroy_preference(preference);
  plan.possible =
      good && found == 1 && choice.state == 0 && choice.workspace_bytes <= kWorkspaceBytes;
  plan.algorithm = choice.algorithm;
  return plan;
}

/// The library's Tensor Core kernels load 16 bytes at a time; for lower alignments it has slower
/// kernels, or none.
const char* Blas::refusal_of(const std::vector<int64_t>& key, const ProductForm& form) const {
  if (const char* by_type = tensor_core_refusal(form.a, key[kMatmulTf32], capability_))
    return by_type;
  const auto bytes = static_cast<int64_t>(size_of(form.a));
  const auto result_bytes = static_cast<int64_t>(size_of(form.result));
  if (key[kStrideA] * bytes % kMostAlignment || key[kStrideB] * bytes % kMostAlignment ||
      key[kStrideC] * result_bytes % kMostAlignment)
    return "the rows of a matrix are not a multiple of 16 bytes apart";
  for (const MatmulField address : {kAlignA, kAlignB, kAlignC})
    if (key[address] < kMostAlignment) return "a matrix does not begin at a multiple of 16 bytes";
  return nullptr;
}

Blas::Plan& Blas::plan(const std::vector<int64_t>& key, const ProductForm& form) {
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  Plan& made = plans_.emplace(key, make_plan(key)).first->second;
  made.refusal = made.possible ? refusal_of(key, form) : "cuBLASLt does not support this product";
  if (logging() && !made.refusal)
    log(text_of(key, form.a) + " uses cuBLASLt");
  else if (logging())
    log(text_of(key, form.a) + " uses no Tensor Cores: " + made.refusal);
  return made;
}

LibraryOutcome Blas::multiply(const MatmulArguments& g, const ProductForm& form,
                              CudaStream stream) {
  std::vector<int64_t> key(kMatmulFields);
  const auto type_a = data_type(form.a), type_b = data_type(form.b),
             result = data_type(form.result);
  if (!type_a || !type_b || !result || form.a == DType::i32)
    return {false, tensor_core_refusal(form.a, form.tf32, capability_)};
  key[kMatmulTypeA] = *type_a, key[kMatmulTypeB] = *type_b, key[kMatmulResult] = *result;
  key[kMatmulTf32] = form.tf32 && form.a == DType::f32;
  const auto a = operand(g.m, g.k, g.a_row, g.a_column), b = operand(g.k, g.n, g.b_row, g.b_column);
  const auto a_batch = batch_stride(g, g.a_leading), b_batch = batch_stride(g, g.b_leading);
  constexpr int64_t kMostBatch = 0x7fffffff;
  if (!a || !b || !a_batch || !b_batch || g.k == 0 || g.batch > kMostBatch ||
      (g.bias && g.bias_stride != 1 && g.n > 1))
    return {false,
            "a matrix is not contiguous along either dimension, or a batch has no uniform stride"};
  if (!open()) return {false, unused_};
  key[kM] = g.m, key[kN] = g.n, key[kK] = g.k;
  key[kStrideA] = a->stride, key[kTransA] = a->transposed;
  key[kStrideB] = b->stride, key[kTransB] = b->transposed;
  key[kStrideC] = g.c_row;
  key[kBatch] = g.batch, key[kBatchA] = *a_batch, key[kBatchB] = *b_batch;
  key[kAlignBias] = g.bias ? alignment(g.bias) : 0;
  key[kAlignA] = batch_alignment(g.a, *a_batch, form.a);
  key[kAlignB] = batch_alignment(g.b, *b_batch, form.b);
  key[kAlignC] = batch_alignment(g.c, g.batch > 1 ? g.m * g.n : 0, form.result);
  Plan& chosen = plan(key, form);
  if (!chosen.possible) return {false, chosen.refusal};
  void* const workspace = workspace_.get(stream, kWorkspaceBytes);
  const blas::Table& api = *table();
  const auto described = [&](blas::DescriptionField field, const void* address) {
    return !address ||
           api.set_description(chosen.description, field, &address, sizeof address) == 0;
  };
  if (!described(blas::kBiasPointer, g.bias) || !described(blas::kScaleA, form.b_scale) ||
      !described(blas::kScaleB, form.a_scale))
    return {false, chosen.refusal};
  constexpr float kOne = 1;
  constexpr double kWideOne = 1, kNone = 0;  // all-zero bits: 0 in every type
  constexpr int32_t kWholeOne = 1;
  const void* const one = form.a == DType::f64  ? static_cast<const void*>(&kWideOne)
                          : form.a == DType::i8 ? static_cast<const void*>(&kWholeOne)
                                                : &kOne;
  const blas::Status status =
      api.multiply(handle_, chosen.description, one, g.b, chosen.a, g.a, chosen.b, &kNone, g.c,
                   chosen.c, g.c, chosen.c, &chosen.algorithm, workspace, kWorkspaceBytes, stream);
  if (status == 0) return {true, chosen.refusal};
  demand_memory(is_nearly_full() ? blas::kAllocationFailed : status, "cublasLtMatmul");
  chosen.possible = false;
  chosen.refusal = "cuBLASLt failed on this product";
  if (logging())
    log(text_of(key, form.a) +
        " uses tide's own kernel from now on: cublasLtMatmul failed with status " +
        std::to_string(status));
  return {false, chosen.refusal};
}

}  // namespace tide::cuda
