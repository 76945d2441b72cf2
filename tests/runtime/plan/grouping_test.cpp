// Which ops share a step, what is stored, and what is computed again.
#include "runtime/plan/grouping.h"

#include "runtime/ops/index/indexing.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/normalization.h"
#include "runtime/ops/nn/softmax.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "tests/runtime/execute/work.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::Values;
using test::values;
using test::work_of;

namespace {

/// A tensor that lies in memory, with the values 0, 1, 2, ...
Tensor stored(const Shape& shape) {
  std::vector<float> numbers(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return test::tensor(numbers, shape);
}

constexpr int64_t kBytes = 1 << 20;
const Shape kMegabyte{kBytes / 4};

}  // namespace

TEST_CASE("a chain of elementwise ops and the sum after it are one step", "[plan]") {
  const Tensor x = stored({64, 32});
  Tensor y;
  CHECK(work_of([&] { y = sum((x * 2 + 1) * x - x); }).launches == 1);
}

TEST_CASE("softmax and layer norm are one step each", "[plan]") {
  const Tensor x = stored({16, 128});
  Tensor y;
  CHECK(work_of([&] { y = softmax(x, Dim{1}); }).launches == 1);
  CHECK(work_of([&] { y = layer_norm(x, {128}); }).launches == 1);
}

TEST_CASE("ops share a step only if they share data", "[plan]") {
  const Tensor a = stored({64}), b = stored({64});
  Tensor y, z;
  CHECK(work_of([&] { y = a + 1, z = a * 2; }).launches == 1);
  CHECK(work_of([&] { y = a + 1, z = b * 2; }).launches == 2);
}

TEST_CASE("a step reads at most 24 arrays", "[plan]") {
  std::vector<Tensor> x;
  for (int i = 0; i < 40; ++i) x.push_back(stored({64}));
  Tensor y;
  const auto add_up = [&](size_t count) {
    return work_of([&] {
             y = x[0];
             for (size_t i = 1; i < count; ++i) y = y + x[i];
           })
        .launches;
  };
  CHECK(add_up(24) == 1);
  CHECK(add_up(25) == 2);
  CHECK(add_up(40) == 2);
  CHECK(values(y)[63] == 40 * 63);
}

TEST_CASE("a sum of many elements takes two steps, whatever is computed on the way", "[plan]") {
  const Tensor x = stored({1000000});
  Tensor y;
  CHECK(work_of([&] { y = sum(x * 2 + 1); }).launches == 2);
}

TEST_CASE("operands that are broadcast do not keep an op out of a full reduction", "[plan]") {
  const Tensor x = stored({256, 1024}), row = stored({1024}), column = stored({256, 1});
  Tensor y;
  for (const Tensor& operand : {row, column}) {
    CHECK(work_of([&] { y = sum(x * operand); }).launches == 2);
    CHECK(work_of([&] { y = amax(x + operand); }).launches == 2);
    const auto work = work_of([&] { y = sum(gt(x, operand)); });
    CHECK(work.launches == 2);
    CHECK(work.held < 1000);
  }
}

TEST_CASE("elements at computed positions are read where they are used", "[plan]") {
  const Tensor table = stored({100, 32}), row = stored({32});
  const Tensor rows = test::positions({3, 100, 1, 3}, {4});
  Tensor y;
  // A check of the positions, and one loop.
  CHECK(work_of([&] { y = layer_norm(index_select(table, Dim{0}, rows) + row, {32}); }).launches ==
        2);
  CHECK(work_of([&] { y = sum(index_select(table, Dim{0}, rows) * row, Dims{1}); }).launches == 2);
  Values expected;
  for (const double position : {3.0, 100.0, 1.0, 3.0}) {
    expected.push_back(0);
    for (int j = 0; j < 32; ++j) expected.back() += (32 * (position - 1) + j) * j;
  }
  CHECK(values(y) == expected);
  const Tensor picture = stored({2, 3, 20, 20});
  // The positions along both sides, and one loop.
  CHECK(work_of([&] { y = (pad(picture, {2, 2, 2, 2}, "reflect") - 1) * 2; }).launches <= 3);
  const Tensor signal = stored({100000});
  const auto work = work_of([&] { y = pad(signal, {9, 9}, "circular") * 2; });
  CHECK(work.launches == 1);
  CHECK(work.held < 500000);
}

TEST_CASE("a table is there before its elements are looked up", "[plan]") {
  const Tensor x = stored({8, 4}), positions = test::positions({8, 1, 1}, {3});
  Tensor y;
  const auto work = work_of([&] {
    const Tensor table = x * 2;
    y = index_select(table, Dim{0}, positions) + 8;
  });
  CHECK(work.launches == 3);
  CHECK(values(y) == Values{64, 66, 68, 70, 8, 10, 12, 14, 8, 10, 12, 14});
}

TEST_CASE("positions in a lost table are not checked", "[plan]") {
  const Tensor x = stored({4}), wrong = test::positions({5}, {1});
  const Tensor lost = index_select(x, Dim{0}, wrong);
  const Tensor again = index_select(lost, Dim{0}, test::positions({2}, {1}));
  CHECK_THROWS_WITH(values(again),
                    Catch::Matchers::ContainsSubstring("position 5 is out of range"));
  engine::synchronize();
  CHECK(!engine::report_unread_failures(stderr));
}

TEST_CASE("a table is not overwritten while its elements are looked up", "[plan]") {
  const Tensor x = stored({4});
  write("set", x, index_select(x, Dim{0}, test::positions({4, 3, 2, 1}, {4})));
  CHECK(values(x) == Values{3, 2, 1, 0});
  write("set", x, index_select(x, Dim{0}, test::positions({2, 2, 3, 4}, {4})) + x);
  CHECK(values(x) == Values{5, 4, 2, 0});
}

TEST_CASE("what is summed up is not stored, however often its inputs are", "[plan]") {
  const Tensor x = stored(kMegabyte);
  Tensor y, z;
  CHECK(work_of([&] { y = sum(x * 2), z = sum(x * 3); }).held < kBytes / 4);
}

TEST_CASE("an inner value is not stored, but there when asked for", "[plan]") {
  const Tensor x = stored(kMegabyte);
  Tensor inner, y;
  const auto work = work_of([&] {
    inner = x * 2;
    y = inner + 1;
  });
  CHECK(work.held == kBytes);
  std::vector<float> numbers(kBytes / 4);
  CHECK(work_of([&] { inner.read(numbers.data(), "test"); }).launches == 1);
  CHECK(numbers[1000] == 2000);
}

TEST_CASE("an inner value that would hold on to much more than itself is stored", "[plan]") {
  Tensor x = stored(kMegabyte), inner, y;
  work_of([&] {
    inner = narrow(x, Dim{0}, Position{1}, 8) * 2;
    y = inner + 1;
  });
  CHECK(work_of([&] { x = Tensor(); }).held == -kBytes);
  CHECK(values(inner)[7] == 14);
}

TEST_CASE("what a cell was given last is stored", "[plan]") {
  Tensor x = stored(kMegabyte), y;
  const auto work = work_of([&] {
    write("add_", x, x + 1);
    y = x * 2;
  });
  CHECK(work.held == kBytes);  // y; x took over its old block
  CHECK(work_of([&] { values(narrow(x, Dim{0}, Position{1}, 1)); }).held == 0);
}

TEST_CASE("inner results that a library op needs live only as long as that", "[plan]") {
  constexpr int kRounds = 6;
  Tensor x = stored(kMegabyte);
  std::vector<Tensor> kept;
  const auto work = work_of([&] {
    for (int i = 0; i < kRounds; ++i)
      kept.push_back(cumsum(kept.empty() ? x * 2 : kept.back() * 2, Dim{0}));
  });
  CHECK(work.windows == 1);
  CHECK(work.held == kRounds * kBytes);
  CHECK(work.peak == (kRounds + 1) * kBytes);
}

TEST_CASE("loops that share nothing become one where an op reads both", "[plan]") {
  const Tensor a = stored({64}), b = stored({64}), c = stored({8, 8});
  Tensor y, z;
  CHECK(work_of([&] { y = exp(a) * exp(b); }).launches == 1);
  // What reads one of them in between comes after both.
  CHECK(work_of([&] {
          y = a * 2;
          z = sum(reshape(y, {8, 8}), Dims{0}) + c;
          y = y + b * 3;
        }).launches == 2);
  CHECK(values(y)[63] == 63 * 5);
  CHECK(values(z)[9] == 2 * (1 + 9 + 17 + 25 + 33 + 41 + 49 + 57) + 9);
}

TEST_CASE("a part is written in place after what reads the value before", "[plan]") {
  const Tensor x = stored({64}), b = stored({64});
  const Tensor part = narrow(x, Dim{0}, Position{2}, 3);
  Tensor y;
  const auto work = work_of([&] {
    const Tensor before = x * 2;
    write("fill_", part, 100);
    y = before + b * 3;
  });
  CHECK(work.blocks == 1);  // of y
  CHECK(values(y)[3] == 3 * 5);
  CHECK(values(x)[3] == 100);
}

TEST_CASE("what is computed per row belongs to the loop over the rows", "[plan]") {
  const Tensor x = stored({16, 128}), mean = stored({16, 1}), spread = stored({16, 1});
  Tensor y;
  const auto work = work_of([&] { y = sum((x - mean * 2) * rsqrt(spread * 0 + 1), Dims{1}); });
  CHECK(work.launches == 1);
  CHECK(values(y)[3] == 128 * (3 * 128 - 6) + 127 * 128 / 2);
}

TEST_CASE("conversions, counts and constants are computed where they are read", "[plan]") {
  const Tensor x = convert(stored(kMegabyte), DType::f16);
  values(narrow(x, Dim{0}, Position{1}, 1));
  Tensor y, z;
  const auto halves = work_of([&] {
    const Tensor wide = convert(x, DType::f32);
    y = wide - sum(wide) * 0.0;
  });
  CHECK(halves.peak < kBytes + kBytes / 4);  // the result: the halves have no float32 copy
  const auto constants = work_of([&] { z = stored({64}) + full({64}, 2.0, {}) * 3; });
  CHECK(constants.launches == 1);
  CHECK(values(z)[5] == 11);
}

TEST_CASE("a value that a gradient needs once is not stored for it", "[plan]") {
  const Tensor x = stored(kMegabyte);
  Tensor inner, y, z;
  work_of([&] { inner = x * 2, y = inner + 1; });
  CHECK(work_of([&] { z = inner * 3; }).held == kBytes);  // of z
  CHECK(work_of([&] { z = inner * 4; }).held == kBytes);  // of inner, for the second time
  CHECK(values(narrow(z, Dim{0}, Position{8}, 1)) == Values{56});
}

TEST_CASE("eager mode gives every op a step of its own", "[plan]") {
  const Tensor x = stored({64});
  Tensor y;
  engine::set_eager(true);
  const auto work = work_of([&] { y = (x * 2 + 1) * x; });
  engine::set_eager(false);
  CHECK(work.launches == 3);
  CHECK(work.windows == 3);
}
