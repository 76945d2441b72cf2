// Views, indexing and writes through them.
#include "runtime/ops/index/indexing.h"

#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "runtime/types/error.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::Values;
using test::values;
using Kind = IndexEntry::Kind;

namespace {

Tensor counting() { return test::tensor({1, 2, 3, 4, 5, 6}, {2, 3}); }

IndexEntry range(int64_t first, int64_t last, int64_t step = 1) {
  return {Kind::range, first, last, step, {}};
}

}  // namespace

TEST_CASE("a write through a view is seen by its base", "[ops]") {
  const Tensor x = clone(counting());
  const Tensor row = index_first(x, -1);
  write("fill_", row, 0);
  CHECK(values(x) == Values{1, 2, 3, 0, 0, 0});
  write("fill_", transpose(x, Dim{0}, Dim{1}), 7);
  CHECK(values(row) == Values{7, 7, 7});
}

TEST_CASE("ranges include both ends and may step", "[ops]") {
  const IndexEntry every_second[] = {{}, range(1, -1, 2)};
  CHECK(values(index(counting(), every_second)) == Values{1, 3, 4, 6});
  const IndexEntry empty[] = {range(3, 2)};
  CHECK(index(test::tensor({1, 2, 3}, {3}), empty).numel() == 0);
  const IndexEntry zero[] = {range(0, 2)};
  CHECK_THROWS_WITH(index(counting(), zero),
                    Catch::Matchers::ContainsSubstring("positions start at 1, got 0"));
}

TEST_CASE("several position tensors pick together", "[ops]") {
  const IndexEntry both[] = {{Kind::tensor, 0, 0, 1, test::positions({1, 2, -1}, {3})},
                             {Kind::tensor, 0, 0, 1, test::positions({3, 1, 2}, {3})}};
  CHECK(values(index(counting(), both)) == Values{3, 4, 5});
}

TEST_CASE("each of several positions has its own limit", "[ops]") {
  // Joined, row 1 and column 4 would be the first element of row 2.
  const IndexEntry both[] = {{Kind::tensor, 0, 0, 1, test::positions({1}, {1})},
                             {Kind::tensor, 0, 0, 1, test::positions({4}, {1})}};
  CHECK_THROWS_WITH(values(index(counting(), both)),
                    Catch::Matchers::ContainsSubstring("position 4"));
}

TEST_CASE("assignment at positions leaves the rest", "[ops]") {
  const Tensor x = clone(counting());
  const IndexEntry columns[] = {{}, {Kind::tensor, 0, 0, 1, test::positions({3, 1}, {2})}};
  assign(x, columns, Number(0));
  CHECK(values(x) == Values{0, 2, 0, 0, 5, 0});
}

TEST_CASE("the gradient of a picked row goes to that row", "[ops]") {
  const Tensor x = clone(counting());
  x.set_requires_grad(true);
  const Tensor rows = index_select(x, Dim{0}, test::positions({2, 2}, {2}));
  backward(sum(rows * rows));
  CHECK(values(x.grad()) == Values{0, 0, 0, 16, 20, 24});
}
