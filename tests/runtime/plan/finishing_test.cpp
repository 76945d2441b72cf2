// Loops on parts of a convolution's result: which ones there are, and that they change no bit.
#include "runtime/plan/finishing.h"

#include <bit>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "runtime/codegen/machine_code.h"
#include "runtime/ir/kernel.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/nn/convolution.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "tests/runtime/ops/values.h"
#include "tests/runtime/plan/plan_of.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

/// The steps of a plan: "c" a compute op, "C" one that is finished by the next step, "l" a loop.
std::string kinds_of(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::compute) text += step.finished_by_next ? 'C' : 'c';
    if (step.kind == Step::Kind::loop) text += 'l';
  }
  return text;
}

Tensor channels_last(const Tensor& x) {
  return permute(record_contiguous(permute(x, {0, 2, 3, 1})), {0, 3, 1, 2});
}

/// The bits of an f32 tensor.
std::vector<uint32_t> bits_of(const Tensor& x) {
  std::vector<uint32_t> bits(static_cast<size_t>(x.numel()));
  x.read(bits.data(), "test");
  return bits;
}

Tensor sigmoid_unit(const Tensor& x) { return mul(x, sigmoid(x)); }

class EagerScope {
 public:
  EagerScope() { engine::set_eager(true); }
  ~EagerScope() { engine::set_eager(false); }
};

}  // namespace

TEST_CASE("an elementwise loop over a convolution's result runs on its parts", "[plan]") {
  const Tensor x = randn({1, 8, 9, 9}), w = randn({8, 8, 3, 3}), other = randn({1, 8, 7, 7});
  const Tensor scale = randn({8, 1, 1}), variance = rand({8, 1, 1});
  const auto kinds = [&](const std::function<Tensor(const Tensor&)>& function) {
    Tensor z;
    return kinds_of(*test::plan_of([&] { z = function(conv2d(x, w)); }));
  };
  CHECK(kinds([](const Tensor& y) { return relu(y); }) == "Cl");
  CHECK(kinds([&](const Tensor& y) { return relu(add(y, other)); }) == "Cl");
  CHECK(kinds(sigmoid_unit) == "Cl");
  // What the loop needs besides is computed first.
  CHECK(kinds([&](const Tensor& y) { return mul(y, sum(exp(scale), Dims{0})); }) == "lCl");
  CHECK(kinds([&](const Tensor& y) { return mul(y, rsqrt(add(variance, 1e-5))); }).back() == 'l');
  CHECK(kinds([](const Tensor& y) { return y; }) == "c");
  CHECK(kinds([](const Tensor& y) { return sum(y, Dims{0, 1, 2, 3}); }).front() == 'c');
  CHECK(kinds([](const Tensor& y) { return exp(transpose(y, Dim{2}, Dim{3})); }) == "cl");
  CHECK(kinds([](const Tensor& y) { return exp(slice(y, 2, 0, 3)); }) == "cl");
  // A write falls back to what was there before.
  CHECK(kinds([](const Tensor& y) {
          record_write("fill_", y, mul(y, 2));
          return y;
        }).front() == 'c');
}

TEST_CASE("a loop on parts does not write what the convolution still reads", "[plan]") {
  const Tensor w = randn({16, 16, 5, 5}), values = channels_last(randn({1, 16, 60, 60}));
  Tensor y;  // kept, so that the sum cannot have its memory
  const auto function = [&] {
    const Tensor x = add(values, 1);
    engine::synchronize();
    y = conv2d(x, w, {}, {}, Sizes{2});
    return add(y, x);  // the last reader of x
  };
  const Ref<Plan> plan = test::plan_of(function);
  CHECK(kinds_of(*plan) == "Cl");
  for (const Step& step : plan->steps)
    if (step.kind == Step::Kind::loop) step.loop.kernel->function(machine_code);
  const Tensor lazy = function();
  engine::synchronize();
  const EagerScope eager;
  const bool is_same = bits_of(lazy) == bits_of(function());
  CHECK(is_same);
}

TEST_CASE("other types than f32 are finished as a whole", "[plan]") {
  for (const DType type : {DType::f64, DType::f16, DType::bf16}) {
    const Tensor x = convert(randn({1, 4, 5, 5}), type), w = convert(randn({4, 4, 3, 3}), type);
    Tensor z;
    CHECK(kinds_of(*test::plan_of([&] { z = relu(conv2d(x, w)); })) == "cl");
  }
}

TEST_CASE("a loop on parts of a convolution's result changes no bit", "[plan]") {
  struct Case {
    Shape input, weight;
    int64_t padding, groups;
  };
  const Case cases[] = {
      {{1, 16, 30, 30}, {96, 16, 1, 1}, 0, 1},  // rows
      {{1, 64, 7, 7}, {256, 64, 1, 1}, 0, 1},   // channels
      {{5, 8, 9, 9}, {15, 8, 3, 3}, 1, 1},      // images
      {{1, 32, 28, 28}, {32, 1, 3, 3}, 1, 32},  // groups
      {{1, 64, 56, 56}, {64, 64, 3, 3}, 1, 1},  // Winograd's points
      {{2, 6, 11, 13}, {7, 6, 3, 3}, 0, 1},     // odd sizes
  };
  const bool last = GENERATE(true, false), is_finite = GENERATE(true, false);
  for (const auto& [input, weight, padding, groups] : cases) {
    const auto random = [&](const Shape& shape) {
      return last ? channels_last(randn(shape)) : randn(shape);
    };
    Tensor w = randn(weight), x = random(input);
    if (!is_finite) w = mul(w, full({weight[0], 1, 1, 1}, 1e38));
    record_write("fill_", slice(x, 3, 2, 1), std::numeric_limits<double>::quiet_NaN());
    const Tensor bias = randn({weight[0]}), scale = randn({weight[0], 1, 1});
    const auto convolved = [&] { return conv2d(x, w, bias, {}, Sizes{padding}, {}, groups); };
    const Shape shape = convolved().shape();
    const Tensor same = random(shape), plain = randn(shape), row = randn({shape[3]});
    const std::function<Tensor(const Tensor&)> functions[] = {
        [](const Tensor& y) { return relu(y); },
        [](const Tensor& y) { return clamp(y, TensorOrNumber(-0.5), TensorOrNumber(0.25)); },
        sigmoid_unit,
        [&](const Tensor& y) { return relu(add(same, mul(y, scale))); },
        [&](const Tensor& y) { return add(mul(y, row), plain); },
        [](const Tensor& y) { return convert(convert(y, DType::bf16), DType::f32); },
    };
    for (const auto& function : functions) {
      Tensor z;
      const Ref<Plan> plan = test::plan_of([&] { z = function(convolved()); });
      // Only machine code runs on parts.
      for (const Step& step : plan->steps)
        if (step.kind == Step::Kind::loop) step.loop.kernel->function(machine_code);
      z = function(convolved());
      engine::synchronize();
      const EagerScope eager;
      CAPTURE(weight.text(), last, is_finite, kinds_of(*plan));
      const bool is_same = bits_of(z) == bits_of(function(convolved()));
      CHECK(is_same);  // the bits are too many to print
    }
  }
}

TEST_CASE("a convolution whose result is used elsewhere keeps it", "[plan]") {
  using Tensors = std::vector<Tensor>;
  const Tensor x = randn({1, 8, 33, 33}), w = randn({8, 8, 1, 1});
  const auto y_of = [&] { return conv2d(x, w); };
  const std::function<Tensors()> functions[] = {
      [&] {
        const Tensor y = y_of();
        return Tensors{relu(y), y};
      },
      [&] {
        const Tensor y = y_of();
        return Tensors{add(relu(y), y), sum(y, Dims{2, 3})};
      },
      [&] {
        const Tensor y = y_of();
        return Tensors{exp(y), exp(slice(y, 2, 3, 5))};
      },
      [&] {
        const Tensor y = y_of();
        return Tensors{clamp(y, TensorOrNumber(mul(y, 0.5)), TensorOrNumber(1.0))};
      },
  };
  for (const auto& function : functions) {
    for (int i = 0; i < 3; ++i) function();  // compiles the kernels
    const Ref<Plan> plan = test::plan_of([&] { function(); });
    for (const Step& step : plan->steps)
      if (step.kind == Step::Kind::loop) step.loop.kernel->function(machine_code);
    const Tensors lazy = function();
    engine::synchronize();
    const EagerScope eager;
    const Tensors expected = function();
    for (size_t i = 0; i < lazy.size(); ++i)
      CHECK(test::values(lazy[i]) == test::values(expected[i]));
  }
}
