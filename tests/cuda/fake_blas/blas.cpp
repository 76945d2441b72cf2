// A fake libcublasLt: column-major products by plain loops, in stream order. It rejects calls that
// the real library would reject; kernels with operands that lack the promised alignment lose the
// device, like real ones.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/cuda/libraries/blas_api.h"
#include "tests/cuda/fake/libraries.h"
#include "tests/cuda/fake/numbers.h"
#include "tests/cuda/fake/settings.h"

namespace {

using namespace tide::cuda;
using namespace tide::cuda::blas;

constexpr Status kInvalid = 7;

struct Matrix {
  DataType type;
  int64_t rows, columns, stride;
  int32_t batch = 1;
  int64_t batch_stride = 0;
};

struct Product {
  ComputeType compute;
  DataType scale;
  int transpose_a = 0, transpose_b = 0, epilogue = 1;
  const void* bias = nullptr;
  const void *scale_a = nullptr, *scale_b = nullptr;
};

bool is_float8(DataType type) { return type == kFloat8E4M3 || type == kFloat8E5M2; }

fake::Format format_of(DataType type) {
  switch (type) {
    case kFloat32:
      return fake::Format::f32;
    case kFloat64:
      return fake::Format::f64;
    case kFloat16:
      return fake::Format::f16;
    case kInt8:
      return fake::Format::i8;
    case kInt32:
      return fake::Format::i32;
    case kFloat8E4M3:
      return fake::Format::f8e4m3;
    case kFloat8E5M2:
      return fake::Format::f8e5m2;
    case kBFloat16:
      break;
  }
  return fake::Format::bf16;
}

int64_t bytes_of(DataType type) {
  switch (type) {
    case kFloat64:
      return 8;
    case kFloat32:
    case kInt32:
      return 4;
    case kInt8:
    case kFloat8E4M3:
    case kFloat8E5M2:
      return 1;
    default:
      return 2;
  }
}

/// The alignments of a, b, c, d and the bias.
struct Alignments {
  uint32_t of[5] = {256, 256, 256, 256, 256};
};

constexpr Status kNotInitialized = 1, kExecutionFailed = 13;
constexpr Result kMisalignedAddress = 716;

uint32_t alignment(uint64_t address) {
  return static_cast<uint32_t>(std::min<uint64_t>(address & -address, 256));
}

/// Whether all matrices of a batch are aligned.
bool is_aligned(const void* data, const Matrix& matrix, uint32_t to) {
  const int64_t bytes = bytes_of(matrix.type);
  const bool batch = matrix.batch == 1 || matrix.batch_stride * bytes % to == 0;
  return batch && reinterpret_cast<uint64_t>(data) % to == 0;
}

/// Whether this product must fail: all with TIDE_FAKE_BLAS="fail", the second with "fail=2". With
/// "refuse" the library does not start.
bool is_to_fail() {
  static std::atomic<int> calls{0};
  const int call = ++calls;
  const char* setting = std::getenv("TIDE_FAKE_BLAS");
  if (!setting || std::strncmp(setting, "fail", 4) != 0) return false;
  return setting[4] != '=' || std::atoi(setting + 5) == call;
}

double get(const void* data, DataType type, int64_t i) {
  return fake::read_number(data, format_of(type), i);
}

struct Run {
  Product product;
  Matrix a, b, d;
  const void *a_data, *b_data;
  void* d_data;
};

void carry_out(const Run& run) {
  const int64_t k = run.product.transpose_a ? run.a.rows : run.a.columns;
  const auto factor = [&](const void* data, DataType type, int64_t place) {
    const double value = get(data, type, place);
    return run.product.compute == kComputeTf32 ? fake::rounded_to_tf32(value) : value;
  };
  for (int64_t batch = 0; batch < run.d.batch; ++batch)
    for (int64_t j = 0; j < run.d.columns; ++j)
      for (int64_t i = 0; i < run.d.rows; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const int64_t left =
              run.product.transpose_a ? p + i * run.a.stride : i + p * run.a.stride;
          const int64_t right =
              run.product.transpose_b ? j + p * run.b.stride : p + j * run.b.stride;
          sum += factor(run.a_data, run.a.type, left + batch * run.a.batch_stride) *
                 factor(run.b_data, run.b.type, right + batch * run.b.batch_stride);
        }
        for (const void* scale : {run.product.scale_a, run.product.scale_b})
          if (scale) sum *= get(scale, kFloat32, 0);
        if (run.product.epilogue == kEpilogueBias) sum += get(run.product.bias, run.d.type, i);
        fake::write_number(run.d_data, format_of(run.d.type),
                           i + j * run.d.stride + batch * run.d.batch_stride, sum);
      }
}

bool fits(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d) {
  const int64_t m = p.transpose_a ? a.columns : a.rows, k = p.transpose_a ? a.rows : a.columns;
  const int64_t k_b = p.transpose_b ? b.columns : b.rows, n = p.transpose_b ? b.rows : b.columns;
  const bool sizes =
      m == d.rows && n == d.columns && k == k_b && a.batch == d.batch && b.batch == d.batch;
  const bool strides = a.stride >= a.rows && b.stride >= b.rows && d.stride >= d.rows;
  if (a.type == kInt8) {
    const bool fours = m % 4 == 0 && k % 4 == 0 && a.stride % 4 == 0 && b.stride % 4 == 0;
    return sizes && strides && fours && b.type == kInt8 && d.type == kInt32 && p.transpose_a &&
           !p.transpose_b && p.compute == kComputeInteger && p.scale == kInt32 && p.epilogue == 1;
  }
  if (is_float8(a.type)) {  // compute capability 8.9 and 9.0
    const bool sixteens = m % 16 == 0 && k % 16 == 0 && a.stride % 16 == 0 && b.stride % 16 == 0;
    const bool types = is_float8(b.type) && !(a.type == kFloat8E5M2 && b.type == kFloat8E5M2) &&
                       (d.type == kFloat32 || d.type == kFloat16 || d.type == kBFloat16);
    return sizes && strides && sixteens && types && p.transpose_a && !p.transpose_b &&
           p.compute == kCompute32 && p.scale == kFloat32 && p.scale_a && p.scale_b &&
           (p.epilogue == 1 || d.type != kFloat32);
  }
  const bool types =
      a.type == b.type &&
      (a.type == d.type || (d.type == kFloat32 && (a.type == kFloat16 || a.type == kBFloat16)));
  return sizes && strides && types && m > 0 && n > 0 && k > 0 &&
         (d.type == kFloat64) == (p.compute == kCompute64) &&
         p.scale == (d.type == kFloat64 ? kFloat64 : kFloat32) &&
         (p.compute != kComputeTf32 || a.type == kFloat32);
}

}  // namespace

TIDE_EXPORT Status cublasLtCreate(Handle* handle) {
  const char* const setting = std::getenv("TIDE_FAKE_BLAS");
  if (setting && std::strcmp(setting, "refuse") == 0) return kNotInitialized;
  *handle = new int(0);
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulDescCreate(Description* made, ComputeType compute,
                                            DataType scale) {
  *made = new Product{compute, scale};
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulDescSetAttribute(Description description, DescriptionField field,
                                                  const void* value, size_t bytes) {
  Product& product = *static_cast<Product*>(description);
  const bool is_pointer = field == kBiasPointer || field == kScaleA || field == kScaleB;
  if (bytes != (is_pointer ? sizeof(void*) : sizeof(int))) return kInvalid;
  switch (field) {
    case kTransposeA:
      product.transpose_a = *static_cast<const int*>(value);
      break;
    case kTransposeB:
      product.transpose_b = *static_cast<const int*>(value);
      break;
    case kEpilogue:
      product.epilogue = *static_cast<const int*>(value);
      break;
    case kBiasPointer:
      product.bias = *static_cast<const void* const*>(value);
      break;
    case kScaleA:
      product.scale_a = *static_cast<const void* const*>(value);
      break;
    case kScaleB:
      product.scale_b = *static_cast<const void* const*>(value);
      break;
  }
  return 0;
}
TIDE_EXPORT Status cublasLtMatrixLayoutCreate(Layout* made, DataType type, uint64_t rows,
                                              uint64_t columns, int64_t stride) {
  *made = new Matrix{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride};
  return 0;
}
TIDE_EXPORT Status cublasLtMatrixLayoutSetAttribute(Layout layout, LayoutField field,
                                                    const void* value, size_t bytes) {
  Matrix& matrix = *static_cast<Matrix*>(layout);
  if (bytes != (field == kBatchCount ? sizeof(int32_t) : sizeof(int64_t))) return kInvalid;
  if (field == kBatchCount)
    matrix.batch = *static_cast<const int32_t*>(value);
  else
    matrix.batch_stride = *static_cast<const int64_t*>(value);
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulPreferenceCreate(Preference* made) {
  *made = new Alignments;
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                                        PreferenceField field, const void* value,
                                                        size_t bytes) {
  if (bytes != (field == kWorkspaceBytes ? sizeof(uint64_t) : sizeof(uint32_t))) return kInvalid;
  if (field >= kAlignmentA)
    static_cast<Alignments*>(preference)->of[field - kAlignmentA] =
        *static_cast<const uint32_t*>(value);
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete static_cast<Alignments*>(preference);
  return 0;
}
TIDE_EXPORT Status cublasLtMatmulAlgoGetHeuristic(Handle, Description description, Layout a,
                                                  Layout b, Layout, Layout d, Preference preference,
                                                  int wanted, Choice* choices, int* found) {
  *found = 0;
  if (wanted < 1 || !fits(*static_cast<Product*>(description), *static_cast<Matrix*>(a),
                          *static_cast<Matrix*>(b), *static_cast<Matrix*>(d)))
    return kInvalid;
  *found = 1;
  choices[0] = {};
  Alignments promised = *static_cast<Alignments*>(preference);
  if (const void* bias = static_cast<Product*>(description)->bias)
    promised.of[4] = std::max(alignment(reinterpret_cast<uint64_t>(bias)), promised.of[3]);
  std::memcpy(&choices[0].algorithm, promised.of, sizeof promised.of);
  return 0;
}
TIDE_EXPORT Status cublasLtMatmul(Handle, Description description, const void* alpha, const void* a,
                                  Layout a_layout, const void* b, Layout b_layout, const void* beta,
                                  const void*, Layout, void* d, Layout d_layout,
                                  const Algorithm* algorithm, void*, size_t, CudaStream stream) {
  auto run = std::make_unique<Run>(
      Run{*static_cast<Product*>(description), *static_cast<Matrix*>(a_layout),
          *static_cast<Matrix*>(b_layout), *static_cast<Matrix*>(d_layout), a, b, d});
  const fake::Format scale = format_of(run->product.scale);
  const double factor = fake::read_number(alpha, scale, 0), old = fake::read_number(beta, scale, 0);
  if (factor != 1 || old != 0 || !fits(run->product, run->a, run->b, run->d)) return kInvalid;
  if (is_to_fail()) return kExecutionFailed;
  Alignments promised;
  std::memcpy(promised.of, algorithm, sizeof promised.of);
  const bool has_bias = run->product.epilogue == kEpilogueBias;
  if (!is_aligned(a, run->a, promised.of[0]) || !is_aligned(b, run->b, promised.of[1]) ||
      !is_aligned(d, run->d, promised.of[3]) ||
      (has_bias && reinterpret_cast<uint64_t>(run->product.bias) % promised.of[4])) {
    fake_lose_device(stream, kMisalignedAddress);
    return 0;
  }
  return fake_launch(stream, [run = std::shared_ptr<Run>(std::move(run))] { carry_out(*run); });
}
