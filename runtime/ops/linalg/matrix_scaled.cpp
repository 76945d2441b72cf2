// Products of float8 matrices with scales.
#include <array>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr const char* kName = "scaled_mm";

/// Row alignment that Tensor Cores require: sizes and addresses are multiples of 16 bytes.
constexpr int64_t kAligned = 16;

/// x (rows, k) with dense, aligned rows; copied if necessary.
Tensor with_dense_rows(const Tensor& x) {
  const Layout& layout = x.layout();
  const bool dense = layout.strides[1] == 1 && layout.strides[0] >= layout.shape[1];
  const bool aligned =
      x.device().is_host() || (layout.strides[0] % kAligned == 0 && layout.offset % kAligned == 0);
  return dense && aligned ? x : clone(x);
}

/// A scale as a tensor of float32: one number, or one for each of the `rows` rows (dim 0) or
/// columns (dim 1) of the result.
Tensor scale_of(const char* which, const TensorOrNumber& argument, const Tensor& like, int64_t rows,
                int dim) {
  if (!argument.tensor.defined())
    return full({}, argument.number, {.dtype = DType::f32, .device = like.device()});
  const Tensor& scale = argument.tensor;
  if (scale.dtype() != DType::f32)
    throw DTypeError(std::string(kName) + ": " + which + " must be float32, got " +
                     std::string(name_of(scale.dtype())));
  if (scale.numel() == 1) return reshape_to(scale, {});
  const bool fits = scale.rank() == 2 && scale.shape()[dim] == rows && scale.shape()[1 - dim] == 1;
  if (!fits)
    throw ShapeError(
        std::string(kName) + ": " + which + " must be one number or " +
        (dim == 0 ? "(" + std::to_string(rows) + ", 1), one for each row of the first"
                  : "(1, " + std::to_string(rows) + "), one for each column of the second") +
        " matrix, got " + scale.shape().text());
  return scale;
}

void check_factors(const Tensor& a, const Tensor& b) {
  check_rank(kName, a, 2);
  check_rank(kName, b, 2);
  for (const Tensor& factor : {a, b})
    if (!is_float8(factor.dtype()))
      throw DTypeError(std::string(kName) + ": expected float8_e4m3fn or float8_e5m2, got " +
                       std::string(name_of(factor.dtype())) +
                       "; tide.matmul multiplies other types");
  if (a.dtype() == DType::f8e5m2 && b.dtype() == DType::f8e5m2)
    throw DTypeError(std::string(kName) +
                     ": two matrices of float8_e5m2 have no product: make one "
                     "of them float8_e4m3fn");
  if (a.shape()[1] != b.shape()[0])
    throw ShapeError(std::string(kName) + ": inner sizes differ: " + a.shape().text() + " x " +
                     b.shape().text() + " have " + std::to_string(a.shape()[1]) + " and " +
                     std::to_string(b.shape()[0]));
}

/// The product by one compute op.
Tensor record_scaled(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b,
                     const Tensor& bias, DType type) {
  const std::array inputs = {with_dense_rows(a),
                             matrix_transpose(with_dense_rows(matrix_transpose(b))), scale_a,
                             scale_b, bias};
  const ComputeResult result{Shape{a.shape()[0], b.shape()[1]}, type};
  return record_compute(ComputeOp::scaled_matmul, kName,
                        std::span(inputs.data(), bias.defined() ? 5 : 4), {&result, 1},
                        pack(ScaledMatmulAttributes{bias.defined()}))[0];
}

}  // namespace

// Scales per row or column, float32 biases, and sizes and GPUs without float8 Tensor Core support
// are computed by an unscaled product in at least float16, which represents all float8 values.
Tensor scaled_mm(const Tensor& a, const Tensor& b, const TensorOrNumber& scale_a,
                 const TensorOrNumber& scale_b, const std::optional<Tensor>& bias,
                 std::optional<DType> out_dtype) {
  check_factors(a, b);
  const DType type = out_dtype.value_or(DType::bf16);
  if (type != DType::bf16 && type != DType::f16 && type != DType::f32)
    throw DTypeError(std::string(kName) + ": out_dtype must be bfloat16, float16 or float32, got " +
                     std::string(name_of(type)));
  const int64_t k = a.shape()[1], n = b.shape()[1];
  if (bias) {
    check_same_type(kName, type, bias->dtype());
    check_shape(kName, "a bias", *bias, {n});
  }
  for (const Tensor* input : {&a, &b, &scale_a.tensor, &scale_b.tensor, bias ? &*bias : nullptr})
    if (input && input->defined() && needs_grad_fn(*input))
      throw Error(std::string(kName) +
                  ": has no gradient: detach what goes in, or call it within "
                  "tide.no_grad");
  const Tensor of_a = scale_of("scale_a", scale_a, a, a.shape()[0], 0),
               of_b = scale_of("scale_b", scale_b, a, n, 1);
  const bool whole = of_a.rank() == 0 && of_b.rank() == 0;
  const bool direct = engine::has_library(a.device(), ComputeOp::scaled_matmul) &&
                      (a.device().is_host() || (k % kAligned == 0 && n % kAligned == 0 && k > 0));
  if (direct && whole && (!bias || type != DType::f32))
    return record_scaled(a, b, of_a, of_b, bias.value_or(Tensor()), type);
  Tensor y;
  if (direct) {
    const Tensor one = full({}, 1.0, {.dtype = DType::f32, .device = a.device()});
    y = record_scaled(a, b, one, one, Tensor(), DType::f32);
  } else {
    const auto wide = [](const Tensor& x) { return convert(x, DType::f16); };
    y = mm(wide(a), wide(b), DType::f32);
  }
  y = y * of_a * of_b;
  if (bias) y = y + convert(*bias, DType::f32);
  return convert(y, type);
}

}  // namespace tide
