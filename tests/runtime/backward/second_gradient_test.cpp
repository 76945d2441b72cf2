// Gradients of gradients, against differences of first gradients.
#include <functional>

#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/convolution.h"
#include "runtime/ops/nn/loss.h"
#include "runtime/ops/nn/normalization.h"
#include "runtime/ops/nn/pooling.h"
#include "runtime/ops/nn/softmax.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/shape_ops.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::values;

namespace {

using Function = std::function<Tensor(const Tensor&)>;

const TensorOptions kWide{.dtype = DType::f64, .device = Device{}};

/// A sum whose gradient depends on every element.
Tensor total(const Tensor& y) { return sum(y * y * y); }

Tensor first_gradient(const Function& f, const Tensor& x, bool again) {
  const Tensor y = total(f(x));
  return gradients({&y, 1}, {&x, 1}, {}, {.retain_graph = again, .create_graph = again})[0];
}

Tensor leaf(const Tensor& x) {
  const Tensor copy = clone(detach(x));
  copy.set_requires_grad(true);
  return copy;
}

void check_second(const Function& f, const Tensor& x0) {
  const Tensor weights = randn(x0.shape(), kWide), direction = randn(x0.shape(), kWide);
  const Tensor x = leaf(x0);
  const Tensor weighted = sum(first_gradient(f, x, true) * weights);
  const Tensor second = gradients({&weighted, 1}, {&x, 1})[0];
  const double step = 1e-5;
  const Tensor ahead = first_gradient(f, leaf(x0 + direction * step), false);
  const Tensor back = first_gradient(f, leaf(x0 - direction * step), false);
  const double expected = values(sum((ahead - back) * weights))[0] / (2 * step);
  CHECK(values(sum(second * direction))[0] == Approx(expected).epsilon(1e-5).margin(1e-6));
}

}  // namespace

TEST_CASE("gradients of row ops can be differentiated", "[backward]") {
  const Tensor x = randn({4, 3}, kWide);
  check_second([](const Tensor& v) { return softmax(v, Dim{1}); }, x);
  check_second([](const Tensor& v) { return log_softmax(v, Dim{1}); }, x);
  check_second([](const Tensor& v) { return layer_norm(v, {3}); }, x);
  check_second([](const Tensor& v) { return var(v, Dims{0}); }, x);
  check_second([](const Tensor& v) { return std_deviation(v, Dims{0}); }, x);
  check_second([](const Tensor& v) { return vector_norm(v, 3.0, Dims{1}); }, x);
  check_second([](const Tensor& v) { return prod(v, Dims{1}); }, x);
  check_second([](const Tensor& v) { return logsumexp(v, {1}); }, x);
  check_second([](const Tensor& v) { return cumprod(v, Dim{1}); }, x);
  check_second([](const Tensor& v) { return std::get<0>(sort(v, Dim{0})); }, x);
  check_second([](const Tensor& v) { return matmul(v, t(v)); }, x);
  check_second(
      [](const Tensor& v) {
        return cross_entropy(v, test::positions({1, 2, 3, 1}, {4}));
      },
      x);
}

TEST_CASE("gradients of ops on planes can be differentiated", "[backward]") {
  const Tensor x = randn({1, 2, 5, 5}, kWide), w = randn({3, 2, 3, 3}, kWide);
  const Sizes two{2}, one{1};
  check_second([&](const Tensor& v) { return conv2d(v, w, {}, two, one); }, x);
  check_second([&](const Tensor& v) { return conv2d(x, v, {}, two, one); }, w);
  check_second([&](const Tensor& v) { return max_pool2d(v, two)[0]; }, x);
  check_second([&](const Tensor& v) { return avg_pool2d(v, two); }, x);
  check_second([](const Tensor& v) { return batch_norm(v, {}, {}, {}, {}, true); }, x);
}
