// Cross entropy against the formula, and targets that are out of range.
#include <cmath>

#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/nn/loss.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "runtime/types/error.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::values;

TEST_CASE("cross entropy is minus the logarithm of the target's probability", "[ops]") {
  const Tensor x = clone(test::tensor({0, 1, 2, 0, 0, 0}, {2, 3}));
  x.set_requires_grad(true);
  const Tensor loss = cross_entropy(x, test::positions({3, 1}, {2}));
  const double total = 1 + std::exp(1.0) + std::exp(2.0);
  CHECK(values(loss)[0] == Approx((std::log(total) - 2 + std::log(3.0)) / 2));

  backward(loss);
  const auto gradient = values(x.grad());
  CHECK(gradient[0] == Approx(0.5 / total));
  CHECK(gradient[2] == Approx(0.5 * (std::exp(2.0) / total - 1)));
  CHECK(gradient[3] == Approx(0.5 * (1.0 / 3 - 1)));
}

TEST_CASE("ignored targets count neither in the loss nor in its divisor", "[ops]") {
  const Tensor x = test::tensor({0, 0, 3, 1}, {2, 2});
  CHECK(values(cross_entropy(x, test::positions({1, -100}, {2})))[0] == Approx(std::log(2.0)));
}

TEST_CASE("a target out of range makes loss and gradient fail", "[ops]") {
  const Tensor x = clone(test::tensor({0, 1, 2}, {1, 3}));
  x.set_requires_grad(true);
  const Tensor loss = cross_entropy(x, test::positions({4}, {1}));
  backward(loss);
  CHECK_THROWS_WITH(values(loss), Catch::Matchers::ContainsSubstring("position 4"));
  CHECK_THROWS_WITH(values(x.grad()), Catch::Matchers::ContainsSubstring("position 4"));
}

TEST_CASE("a target of nll_loss out of range makes loss and gradient fail", "[ops]") {
  const Tensor x = clone(test::tensor({0, 1, 2}, {1, 3}));
  x.set_requires_grad(true);
  const Tensor loss = nll_loss(x, test::positions({4}, {1}));
  backward(loss);
  CHECK_THROWS_WITH(values(loss), Catch::Matchers::ContainsSubstring("position 4"));
  CHECK_THROWS_AS(values(x.grad()), Error);
}

TEST_CASE("the gradient of nll_loss is that of the targets at the time of the call", "[ops]") {
  const Tensor x = clone(test::tensor({0, 1, 2}, {1, 3})), targets = test::positions({2}, {1});
  x.set_requires_grad(true);
  const Tensor loss = nll_loss(x, targets);
  write("fill_", targets, Number(3));
  backward(loss);
  CHECK(values(x.grad()) == std::vector<double>{0, -1, 0});
}

TEST_CASE("losses do not broadcast", "[ops]") {
  CHECK_THROWS_WITH(mse_loss(test::tensor({1, 2}, {2, 1}), test::tensor({1, 2}, {2})),
                    Catch::Matchers::ContainsSubstring("(2, 1) and (2); use target:view_as(x)"));
}
