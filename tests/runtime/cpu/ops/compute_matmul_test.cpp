// Matrix products against plain loops in double, and the promises on their bits.
#include <cmath>

#include "runtime/cpu/instruction_set.h"
#include "runtime/device/backend.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

template <class T>
std::vector<double> reference(const Array<T>& a, const Array<T>& b, bool a_turned, bool b_turned) {
  const int64_t m = a.shape[a_turned], k = a.shape[!a_turned], n = b.shape[!b_turned];
  std::vector<double> c(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += static_cast<double>(a.values[a_turned ? p * m + i : i * k + p]) *
                        static_cast<double>(b.values[b_turned ? j * k + p : p * n + j]);
  return c;
}

struct Size {
  int64_t m, n, k;
};
const Size kSizes[] = {{1, 1, 1},      {1, 300, 70},  {7, 5, 3},      {6, 16, 256},
                       {13, 33, 257},  {64, 10, 128}, {64, 128, 784}, {200, 800, 40},
                       {197, 31, 600}, {3, 40, 0},    {3100, 17, 5},  {5, 3100, 9}};

/// Operands of a product that lie as they are, the left one (1), the right one (2) or both (3)
/// turned.
template <class T>
struct Operands {
  bool a_turned, b_turned;
  Array<T> a, b;

  Operands(const Size& size, int turned)
      : a_turned(turned & 1),
        b_turned(turned & 2),
        a(random_array<T>(a_turned ? Shape{size.k, size.m} : Shape{size.m, size.k}, 1)),
        b(random_array<T>(b_turned ? Shape{size.n, size.k} : Shape{size.k, size.n}, 2)) {}
  ArrayView left() { return a_turned ? a.transposed_view() : a.view(); }
  ArrayView right() { return b_turned ? b.transposed_view() : b.view(); }
};

/// The largest error, relative to 1 + the expected value.
template <class T>
double worst_error(const Array<T>& c, const std::vector<double>& expected) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    worst = std::fmax(worst, std::fabs(static_cast<double>(c.values[i]) - expected[i]) /
                                 (1 + std::fabs(expected[i])));
  return worst;
}

template <class T>
void check_all_sizes(double tolerance) {
  for (const Size& size : kSizes)
    for (const int turned : {0, 1, 2, 3}) {
      CAPTURE(size.m, size.n, size.k, turned);
      Operands<T> in(size, turned);
      Array<T> c({size.m, size.n});
      run(ComputeOp::matmul, {in.left(), in.right()}, {c.view()}, {0, 0});
      CHECK(worst_error(c, reference(in.a, in.b, in.a_turned, in.b_turned)) <= tolerance);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("matmul agrees with plain loops", "[cpu][reference]", float, double) {
  check_all_sizes<TestType>(sizeof(TestType) == 4 ? 2e-5 : 1e-13);
}

TEST_CASE("matmul of half types is rounded once", "[cpu][reference]") {
  check_all_sizes<Float16>(1.0 / 2048 + 1e-4);
  check_all_sizes<BFloat16>(1.0 / 256 + 1e-4);
}

TEST_CASE("matmul of float16 gives its sums to float", "[cpu]") {
  for (const Size& size : kSizes) {
    auto a = random_array<Float16>({size.m, size.k}, 1);
    auto b = random_array<Float16>({size.k, size.n}, 2);
    Array<float> wide_a(a.shape, {a.values.begin(), a.values.end()});
    Array<float> wide_b(b.shape, {b.values.begin(), b.values.end()});
    Array<float> c({size.m, size.n}), expected({size.m, size.n});
    run(ComputeOp::matmul, {a.view(), b.view()}, {c.view()}, {0, 0});
    run(ComputeOp::matmul, {wide_a.view(), wide_b.view()}, {expected.view()}, {0, 0});
    CHECK(same_bits(c.values, expected.values));
  }
}

// Processors with products of bfloat16 add them in pairs.
TEST_CASE("matmul of bfloat16 gives its sums to float", "[cpu][reference]") {
  for (const Size& size : kSizes)
    for (const int turned : {0, 1, 2, 3}) {
      CAPTURE(size.m, size.n, size.k, turned);
      Operands<BFloat16> in(size, turned);
      Array<float> c({size.m, size.n});
      run(ComputeOp::matmul, {in.left(), in.right()}, {c.view()}, {0, 0});
      CHECK(worst_error(c, reference(in.a, in.b, in.a_turned, in.b_turned)) <= 2e-5);
      if (has_bfloat16_products() || turned != 0) continue;
      Array<float> wide_a(in.a.shape, {in.a.values.begin(), in.a.values.end()});
      Array<float> wide_b(in.b.shape, {in.b.values.begin(), in.b.values.end()});
      Array<float> expected({size.m, size.n});
      run(ComputeOp::matmul, {wide_a.view(), wide_b.view()}, {expected.view()}, {0, 0});
      CHECK(same_bits(c.values, expected.values));
    }
}

TEMPLATE_TEST_CASE("matmul of integers wraps around", "[cpu]", int64_t, int32_t, int16_t, int8_t,
                   uint8_t) {
  auto a = random_array<TestType>({9, 70}, 3), b = random_array<TestType>({31, 70}, 4);
  Array<TestType> c({9, 31});
  run(ComputeOp::matmul, {a.view(), b.transposed_view()}, {c.view()}, {0, 0});
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 31; ++j) {
      int64_t sum = 0;
      for (int p = 0; p < 70; ++p)
        sum += static_cast<int64_t>(a.values[i * 70 + p]) * b.values[j * 70 + p];
      REQUIRE(c.values[i * 31 + j] == static_cast<TestType>(sum));
    }
}

TEST_CASE("matmul broadcasts a batch by strides of 0", "[cpu]") {
  auto a = random_array<float>({2, 3, 4, 5}, 5), b = random_array<float>({5, 6}, 6);
  auto many = random_array<float>({3, 5, 6}, 7);
  for (bool shared : {true, false}) {
    ArrayView right = shared ? b.view() : many.view();
    right.layout = right.layout.broadcast_to({2, 3, 5, 6});
    Array<float> c({2, 3, 4, 6});
    run(ComputeOp::matmul, {a.view(), right}, {c.view()}, {0, 0});
    for (int q = 0; q < 6; ++q) {
      Array<float> one_a({4, 5}, {a.values.begin() + q * 20, a.values.begin() + q * 20 + 20});
      const float* from = shared ? b.values.data() : many.values.data() + q % 3 * 30;
      Array<float> one_b({5, 6}, std::vector<float>(from, from + 30));
      const auto expected = reference(one_a, one_b, false, false);
      for (int i = 0; i < 24; ++i)
        REQUIRE(c.values[q * 24 + i] == Approx(expected[i]).margin(1e-6));
    }
  }
}

TEMPLATE_TEST_CASE("matmul gives the same bits for any number of threads", "[cpu]", float, double,
                   Float16, BFloat16) {
  for (const Size& size : kSizes)
    for (const int turned : {0, 1, 2, 3}) {
      Operands<TestType> in(size, turned);
      Array<TestType> one({size.m, size.n}), three({size.m, size.n});
      run(ComputeOp::matmul, {in.left(), in.right()}, {one.view()}, {0, 0}, 1);
      run(ComputeOp::matmul, {in.left(), in.right()}, {three.view()}, {0, 0}, 3);
      CHECK(same_bits(one.values, three.values));
    }
}

TEST_CASE("a row of a product does not depend on the other rows", "[cpu]") {
  auto a = random_array<float>({400, 300}, 10), b = random_array<float>({300, 50}, 11);
  Array<float> all({400, 50});
  run(ComputeOp::matmul, {a.view(), b.view()}, {all.view()}, {0, 0});
  for (int i : {0, 5, 191, 192, 399}) {
    Array<float> row({1, 300}, {a.values.begin() + i * 300, a.values.begin() + i * 300 + 300});
    Array<float> one({1, 50});
    run(ComputeOp::matmul, {row.view(), b.view()}, {one.view()}, {0, 0});
    CHECK(same_bits(one.values, {all.values.begin() + i * 50, all.values.begin() + i * 50 + 50}));
  }
}

TEMPLATE_TEST_CASE("few rows by contiguous columns have the bits of any product", "[cpu]", float,
                   BFloat16) {
  for (const int64_t k : {3, 256, 257, 300, 530})
    for (const int64_t n : {16, 32, 50, 96}) {
      auto a = random_array<TestType>({40, k}, 10), b = random_array<TestType>({n, k}, 11);
      auto bias = random_array<TestType>({n}, 12);
      Array<TestType> all({40, n});
      run(ComputeOp::matmul, {a.view(), b.transposed_view(), bias.view()}, {all.view()}, {1, 0});
      for (const int64_t rows : {1, 2, 3, 4, 5}) {
        CAPTURE(k, n, rows);
        Array<TestType> few({rows, k}, {a.values.begin(), a.values.begin() + rows * k});
        Array<TestType> some({rows, n});
        run(ComputeOp::matmul, {few.view(), b.transposed_view(), bias.view()}, {some.view()},
            {1, 0});
        CHECK(same_bits(some.values, {all.values.begin(), all.values.begin() + rows * n}));
      }
    }
}

TEMPLATE_TEST_CASE("a bias gives the bits of a separate addition", "[cpu]", float, double, Float16,
                   BFloat16) {
  for (const Size& size : kSizes) {
    auto a = random_array<TestType>({size.m, size.k}, 12);
    auto b = random_array<TestType>({size.k, size.n}, 13);
    auto bias = random_array<TestType>({size.n}, 14);
    Array<TestType> folded({size.m, size.n}), plain({size.m, size.n});
    run(ComputeOp::matmul, {a.view(), b.view(), bias.view()}, {folded.view()}, {1, 0});
    run(ComputeOp::matmul, {a.view(), b.view()}, {plain.view()}, {0, 0});
    for (size_t i = 0; i < plain.values.size(); ++i)
      plain.values[i] = static_cast<TestType>(plain.values[i] + bias.values[i % size.n]);
    CHECK(same_bits(folded.values, plain.values));
  }
}

TEST_CASE("conversions of half types round to nearest even", "[cpu]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Float16 narrow;
    narrow.bits = static_cast<uint16_t>(bits);
    const float wide = narrow;
    if (std::isnan(wide)) continue;
    REQUIRE(Float16(wide).bits == bits);
    // A number's neighbours in float round back to it, ties go to the even one.
    if (std::isinf(wide) || (bits & 0x7fff) == 0x7bff) continue;
    Float16 next;
    next.bits = static_cast<uint16_t>(bits + 1);
    const float middle = (wide + static_cast<float>(next)) / 2;
    REQUIRE(Float16(middle).bits == (bits & 1 ? bits + 1 : bits));
    REQUIRE(Float16(std::nextafter(middle, wide)).bits == bits);
  }
  CHECK(Float16(65519.0f).bits == 0x7bff);
  CHECK(Float16(65520.0f).bits == 0x7c00);
  CHECK(std::isnan(static_cast<float>(Float16(NAN))));
  CHECK(std::isnan(static_cast<float>(BFloat16(NAN))));
  CHECK(BFloat16(1.00390625f).bits == 0x3f80);
  CHECK(BFloat16(1.01171875f).bits == 0x3f82);
}
