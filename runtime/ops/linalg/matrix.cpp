// Matrix products: one compute op for equal stacks, and the reshapes that lead to it. Gradients
// multiply with transposed views; nothing is copied for them.
#include "runtime/ops/linalg/matrix.h"

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/float32_precision.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

void check_types(const char* op, const Tensor& a, const Tensor& b) {
  check_same_type(op, a.dtype(), b.dtype());
  if (a.dtype() == DType::boolean)
    throw DTypeError(std::string(op) + ": bool has no products: convert with :to(\"int64\")");
  if (is_float8(a.dtype()))
    throw DTypeError(std::string(op) + ": " + std::string(name_of(a.dtype())) +
                     " is multiplied with its scales: tide.scaled_mm");
}

ShapeError inner_sizes(const char* op, const Tensor& a, const Tensor& b, int64_t inner_a,
                       int64_t inner_b) {
  const bool fits_transposed = b.rank() >= 2 && b.shape()[b.rank() - 1] == inner_a;
  return ShapeError(
      std::string(op) + ": inner sizes differ: " + a.shape().text() + " x " + b.shape().text() +
      " have " + std::to_string(inner_a) + " and " + std::to_string(inner_b) +
      (fits_transposed ? "; the second fits if transposed: y:transpose(-2, -1)" : ""));
}

/// The likely fix for an input that does not have the features that a weight expects.
std::string likely_fix(const Shape& x, int64_t inputs) {
  int64_t together = x[x.rank() - 1];
  for (int d = x.rank() - 2; d >= 1; --d) {
    together *= x[d];
    if (together == inputs)
      return "; flattened from dimension " + std::to_string(d + 1) + " on it would fit: nn.Flatten";
  }
  return {};
}

/// The type of a product: the operands', or the wider accumulation type.
DType type_of_product(const char* op, const Tensor& a, std::optional<DType> out_dtype) {
  const DType type = a.dtype();
  const DType wide = type == DType::i8 ? DType::i32 : compute_type(type);
  if (!out_dtype || *out_dtype == type) return type;
  if (*out_dtype == wide) return wide;
  throw DTypeError(
      std::string(op) + ": out_dtype " + std::string(name_of(*out_dtype)) + ": products of " +
      std::string(name_of(type)) + " come as " + std::string(name_of(type)) +
      (wide == type ? "" : " or " + std::string(name_of(wide))) + "; convert the result with :to");
}

/// a (..., m, k) times b (..., k, n) with equal leading sizes, without a grad function.
Tensor record_product(const char* name, const Tensor& a, const Tensor& b, const Tensor& bias,
                      DType type) {
  const Tensor inputs[] = {a, b, bias};
  Shape shape = a.shape();
  shape[shape.rank() - 1] = b.shape()[b.rank() - 1];
  const ComputeResult result{shape, type};
  const bool tf32 = float32_matmul_precision() != Float32Precision::highest;
  const auto attributes = pack(MatmulAttributes{bias.defined(), tf32});
  return record_compute(ComputeOp::matmul, name, std::span(inputs, bias.defined() ? 3 : 2),
                        {&result, 1}, attributes)[0];
}

/// The same with a grad function.
Tensor product(const char* name, const Tensor& a, const Tensor& b, DType type) {
  const Tensor y = record_product(name, a, b, Tensor(), type);
  if (needs_grad_fn(a) || needs_grad_fn(b)) {
    const DType operand_type = a.dtype();
    set_grad_fn(y, name, {a, b}, false,
                [a = Saved(a), b = Saved(b), operand_type](const GradientCall& call) {
                  std::vector<Tensor> result(2);
                  const Tensor dy = convert(call.dy, operand_type);
                  if (call.needed[0])
                    result[0] = product("matmul", dy, matrix_transpose(b.get()), operand_type);
                  if (call.needed[1])
                    result[1] = product("matmul", matrix_transpose(a.get()), dy, operand_type);
                  return result;
                });
  }
  return y;
}

Tensor product(const char* name, const Tensor& a, const Tensor& b) {
  return product(name, a, b, a.dtype());
}

/// `shape` with its last `count` dimensions replaced by those of x.
Shape with_last(const Shape& leading, const Shape& x, int count) {
  Shape shape = leading;
  for (int d = x.rank() - count; d < x.rank(); ++d) shape.push_back(x[d]);
  return shape;
}

Shape leading_dims(const Shape& shape, int dropped) {
  Shape result = shape;
  while (result.rank() > shape.rank() - dropped) result.erase(result.rank() - 1);
  return result;
}

/// A stack of matrices times one matrix, as one product of all rows.
Tensor product_of_rows(const char* name, const Tensor& a, const Tensor& b, DType type) {
  const int64_t k = a.shape()[a.rank() - 1];
  const int64_t rows = leading_dims(a.shape(), 1).numel();
  const Tensor y = product(name, reshape_to(a, {rows, k}), b, type);
  return reshape_to(y, with_last(leading_dims(a.shape(), 1), b.shape(), 1));
}

/// Whether a's leading dimensions can be joined without copying.
bool rows_join(const Tensor& a) {
  Layout layout;
  const int64_t k = a.shape()[a.rank() - 1];
  return a.layout().reshape({leading_dims(a.shape(), 1).numel(), k}, &layout);
}

/// The product of matrices or stacks of them; both have at least 2 dimensions.
Tensor matmul_stacks(const char* name, const Tensor& a, const Tensor& b, DType type) {
  if (b.rank() == 2 && a.rank() == 2) return product(name, a, b, type);
  if (b.rank() == 2 && rows_join(a)) return product_of_rows(name, a, b, type);
  const Shape leading = broadcast(name, leading_dims(a.shape(), 2), leading_dims(b.shape(), 2));
  return product(name, broadcast_to(a, with_last(leading, a.shape(), 2)),
                 broadcast_to(b, with_last(leading, b.shape(), 2)), type);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype) {
  check_types("matmul", a, b);
  const DType type = type_of_product("matmul", a, out_dtype);
  check_min_rank("matmul", a, 1);
  check_min_rank("matmul", b, 1);
  const int64_t inner_a = a.shape()[a.rank() - 1];
  const int64_t inner_b = b.shape()[b.rank() == 1 ? 0 : b.rank() - 2];
  if (inner_a != inner_b) throw inner_sizes("matmul", a, b, inner_a, inner_b);
  if (b.rank() == 1 && a.rank() <= 2 && is_floating(a.dtype())) {
    // Each element of the matrix is read once: a vectorized sum is faster than a matrix product.
    const DType wide = compute_type(a.dtype());
    return convert(sum(convert(a, wide) * convert(b, wide), Dims{-1}), type);
  }
  // Vectors become matrices of one row or column, which is removed from the result.
  const Tensor left = a.rank() == 1 ? unsqueeze(a, Dim{0}) : a;
  const Tensor right = b.rank() == 1 ? unsqueeze(b, Dim{-1}) : b;
  const Tensor y = matmul_stacks("matmul", left, right, type);
  if (a.rank() > 1 && b.rank() > 1) return y;
  Shape shape = y.shape();
  if (b.rank() == 1) shape.erase(shape.rank() - 1);
  if (a.rank() == 1) shape.erase(shape.rank() - (b.rank() == 1 ? 1 : 2));
  return reshape_to(y, shape);
}

namespace {

/// A factor for values of `type`: truncated for integers.
Number factor_of(DType type, std::optional<Number> factor) {
  if (!factor) return 1;
  if (type == DType::boolean) return factor->as_double() != 0;
  return is_floating(type) ? *factor : Number(factor->as_integer());
}

/// beta * x + alpha * y in the shape of y; half types are rounded only once.
Tensor combine(const char* name, const Tensor& x, const Tensor& y, std::optional<Number> beta,
               std::optional<Number> alpha) {
  if (!(broadcast(name, x.shape(), y.shape()) == y.shape()))
    throw ShapeError(std::string(name) + ": an input of shape " + x.shape().text() +
                     " does not fit the product of shape " + y.shape().text());
  const DType type = common_type(name, x, y);
  const Number of_x = factor_of(type, beta), of_y = factor_of(type, alpha);
  const auto scaled = [](const Tensor& t, Number factor) {
    const Tensor wide = is_narrow(t.dtype()) ? convert(t, DType::f32) : t;
    return factor.as_double() == 1 ? wide : wide * factor;
  };
  // With beta = 0 x is not used, and gets a gradient of zeros.
  const bool left_out = of_x.as_double() == 0;
  if (left_out && !needs_grad_fn(x)) return of_y.as_double() == 1 ? y : y * of_y;
  const Tensor added =
      left_out ? where(full({}, false, {.dtype = {}, .device = x.device()}), x, 0) : x;
  const Tensor sum = scaled(added, left_out ? Number(1) : of_x) + scaled(y, of_y);
  return convert(sum, type);
}

}  // namespace

Tensor matmul_unrounded(const Tensor& a, const Tensor& b) {
  return matmul(a, b, compute_type(a.dtype()));
}

Tensor mm(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype) {
  check_rank("mm", a, 2);
  check_rank("mm", b, 2);
  check_types("mm", a, b);
  if (a.shape()[1] != b.shape()[0]) throw inner_sizes("mm", a, b, a.shape()[1], b.shape()[0]);
  return product("mm", a, b, type_of_product("mm", a, out_dtype));
}

Tensor bmm(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype) {
  check_rank("bmm", a, 3);
  check_rank("bmm", b, 3);
  check_types("bmm", a, b);
  if (a.shape()[0] != b.shape()[0])
    throw ShapeError("bmm: stacks of different sizes: " + a.shape().text() + " x " +
                     b.shape().text());
  if (a.shape()[2] != b.shape()[1]) throw inner_sizes("bmm", a, b, a.shape()[2], b.shape()[1]);
  return product("bmm", a, b, type_of_product("bmm", a, out_dtype));
}

Tensor mv(const Tensor& a, const Tensor& b) {
  check_rank("mv", a, 2);
  check_rank("mv", b, 1);
  return matmul(a, b);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_rank("dot", a, 1);
  check_rank("dot", b, 1);
  check_shape("dot", "a second vector", b, a.shape());
  return matmul(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_rank("outer", a, 1);
  check_rank("outer", b, 1);
  return mul(unsqueeze(a, Dim{1}), b);
}

Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta,
             std::optional<Number> alpha) {
  return combine("addmm", x, mm(a, b), beta, alpha);
}

Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta,
               std::optional<Number> alpha) {
  return combine("baddbmm", x, bmm(a, b), beta, alpha);
}

Tensor addmv(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta,
             std::optional<Number> alpha) {
  return combine("addmv", x, mv(a, b), beta, alpha);
}

Tensor addbmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta,
              std::optional<Number> alpha) {
  const Tensor stack = bmm(a, b);
  return combine("addbmm", x, sum(stack, Dims{0}, false, stack.dtype()), beta, alpha);
}

Tensor addr(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta,
            std::optional<Number> alpha) {
  const bool fractions =
      (beta && beta->type() == DType::f64) || (alpha && alpha->type() == DType::f64);
  const DType type = common_type("addr", x, a, b);
  if (fractions && !is_floating(type))
    throw DTypeError("addr: beta and alpha must be integers, as the tensors are: " +
                     std::string(name_of(type)));
  const auto wide = [&](const Tensor& t) {
    return is_narrow(t.dtype()) ? convert(t, DType::f32) : t;
  };
  return convert(combine("addr", x, outer(wide(a), wide(b)), beta, alpha), type);
}

Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias) {
  if (weight.rank() == 1 &&
      (!bias || bias->rank() == 0)) {  // a single output without a dimension of its own
    const Tensor row = unsqueeze(weight, Dim{0});
    return squeeze(bias ? linear(x, row, reshape_to(*bias, {1})) : linear(x, row), Dims{-1});
  }
  check_types("linear", x, weight);
  if (x.rank() == 0 || weight.rank() != 2)
    throw ShapeError("linear: expected features and a matrix of weights, got " + x.shape().text() +
                     " x " + weight.shape().text());
  const int64_t inputs = weight.shape()[1], outputs = weight.shape()[0];
  const int64_t features = x.shape()[x.rank() - 1];
  if (features != inputs)
    throw ShapeError("linear: the input " + x.shape().text() + " has " + std::to_string(features) +
                     " features, the weight " + weight.shape().text() + " takes " +
                     std::to_string(inputs) + likely_fix(x.shape(), inputs));
  if (bias) check_types("linear", x, *bias);
  if (bias) check_shape("linear", "a bias", *bias, {outputs}, &weight);
  const Shape leading = leading_dims(x.shape(), 1);
  const Tensor rows = reshape_to(x, {leading.numel(), inputs});
  Tensor y;
  {
    GradientMode off(false);
    y = record_product("linear", rows, matrix_transpose(weight), bias ? *bias : Tensor(),
                       rows.dtype());
  }
  const auto backward = [](const Saved& x, const Saved& w, const GradientCall& call) {
    std::vector<Tensor> result(call.needed.size());
    if (call.needed[0]) result[0] = product("linear", call.dy, w.get());
    if (call.needed[1]) result[1] = product("linear", matrix_transpose(call.dy), x.get());
    if (result.size() > 2 && call.needed[2]) result[2] = sum(call.dy, Dims{0});
    return result;
  };
  if (needs_grad_fn(rows) || needs_grad_fn(weight) || (bias && needs_grad_fn(*bias))) {
    const Tensor inputs_of_op[] = {rows, weight, bias ? *bias : Tensor()};
    set_grad_fn(y, "linear", std::span(inputs_of_op, bias ? 3 : 2), false,
                [backward, x = Saved(rows), w = Saved(weight)](const GradientCall& call) {
                  return backward(x, w, call);
                });
  }
  return reshape_to(y, with_last(leading, y.shape(), 1));
}

}  // namespace tide
