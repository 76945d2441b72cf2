// Arrays grown by copies of their own elements.
#include <numeric>

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

/// Four threads that share nothing but the count of their parts.
struct CountedParts : Parallel {
  int parts = 0;

  int threads() const override { return 4; }
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override {
    const int64_t most = std::clamp<int64_t>(n / std::max<int64_t>(grain, 1), 1, threads());
    for (int64_t i = 0; i < most; ++i, ++parts) body(n * i / most, n * (i + 1) / most);
  }
};

/// Rows of `length` numbers with the first one in front again and the last ones after it, turned
/// round; how many threads had a part in it.
int parts_of(int64_t rows, int64_t length) {
  Array<float> x({rows, length}), y({rows, length + 3});
  std::iota(x.values.begin(), x.values.end(), 0.0f);
  const std::vector<ArrayView> inputs{x.view()}, outputs{y.view()};
  const std::vector<int64_t> attributes{1,      0, 0,          rows,       1,  //
                                        3,      0, 0,          1,          1, 1, 0,
                                        length, 1, length + 1, length - 1, 2, -1};
  CountedParts parallel;
  ComputeCall call{ComputeOp::pad_edges, inputs, outputs, attributes, &parallel};
  compute_function(ComputeOp::pad_edges)(call);
  bool right = true;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < length + 3; ++i) {
      const int64_t from = i == 0 ? 0 : i <= length ? i - 1 : 2 * length - i;
      right &= y.values[static_cast<size_t>(row * (length + 3) + i)] ==
               x.values[static_cast<size_t>(row * length + from)];
    }
  CHECK(right);
  return parallel.parts;
}

}  // namespace

TEST_CASE("a padded array is shared out to threads if it is large", "[cpu]") {
  CHECK(parts_of(100, 20) == 1);
  CHECK(parts_of(2000, 97) == 4);
}
