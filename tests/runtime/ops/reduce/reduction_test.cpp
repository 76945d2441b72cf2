// Reductions over one and several dimensions, and their gradients.
#include "runtime/ops/reduce/reduction.h"

#include <limits>

#include "runtime/backward/backward.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::Values;
using test::values;

namespace {

Tensor cube() { return test::tensor({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}); }

}  // namespace

TEST_CASE("dimensions that are not neighbours reduce together", "[ops]") {
  CHECK(values(sum(cube(), Dims{0, 2})) == Values{14, 22});
  CHECK(mean(cube(), Dims{0, -1}, true).shape() == Shape{1, 2, 1});
  CHECK_THROWS_WITH(sum(cube(), Dims{3}), Catch::Matchers::ContainsSubstring("no dimension 4"));
}

TEST_CASE("of equal values the first position counts, and nan before all", "[ops]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = test::tensor({1, 3, 3, 5, nan, nan}, {2, 3});
  CHECK(values(argmax(x, Dim{1})) == Values{2, 2});
  CHECK(values(argmin(x, Dim{1})) == Values{1, 2});
}

TEST_CASE("equal largest values share the gradient", "[ops]") {
  const Tensor x = clone(test::tensor({2, 5, 5, 1}, {4}));
  x.set_requires_grad(true);
  backward(max_all(x));
  CHECK(values(x.grad()) == Values{0, 0.5, 0.5, 0});
}

TEST_CASE("a product with one zero has a gradient at the zero alone", "[ops]") {
  const Tensor x = clone(test::tensor({2, 0, 3}, {3}));
  x.set_requires_grad(true);
  backward(prod(x));
  CHECK(values(x.grad()) == Values{0, 6, 0});
}

TEST_CASE("the largest of nothing is an error", "[ops]") {
  CHECK_THROWS_WITH(amax(test::tensor({}, {0})),
                    Catch::Matchers::ContainsSubstring("no elements: (0)"));
}
