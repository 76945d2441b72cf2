// Convolutions and their gradients against plain loops.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>

#include "runtime/cpu/planes/prepared_weight.h"
#include "runtime/cpu/winograd/winograd.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

/// Which arrays are channels last.
struct Layouts {
  bool planes = false, weight = false;
};
constexpr Layouts kLayouts[] = {{false, false}, {true, false}, {true, true}};

struct Case {
  int64_t n, c, h, w, o, kh, kw, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;

  int64_t oh() const { return (h + 2 * pad_h - dilation_h * (kh - 1) - 1) / stride_h + 1; }
  int64_t ow() const { return (w + 2 * pad_w - dilation_w * (kw - 1) - 1) / stride_w + 1; }
  Shape input() const { return {n, c, h, w}; }
  Shape weight() const { return {o, c / groups, kh, kw}; }
  Shape output() const { return {n, o, oh(), ow()}; }
  std::vector<int64_t> attributes(bool bias, Layouts layouts = {}) const {
    const auto words = pack(ConvolutionAttributes{.has_bias = bias,
                                                  .stride = {stride_h, stride_w},
                                                  .padding = {pad_h, pad_w},
                                                  .dilation = {dilation_h, dilation_w},
                                                  .groups = groups,
                                                  .tf32 = false,
                                                  .weight_channels_last = layouts.weight,
                                                  .channels_last = layouts.planes});
    return {words.begin(), words.end()};
  }
  /// Of prepare_weight, for a convolution with a bias.
  std::vector<int64_t> preparing(Layouts layouts) const {
    std::vector<int64_t> all;
    for (const Shape& shape : {input(), weight(), output()})
      all.insert(all.end(), shape.begin(), shape.end());
    const auto convolution = attributes(true, layouts);
    all.insert(all.end(), convolution.begin(), convolution.end());
    return all;
  }
};

const Case kCases[] = {{2, 1, 8, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1},
                       {32, 16, 8, 8, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1},
                       {3, 3, 17, 13, 8, 5, 3, 2, 1, 2, 0, 1, 1, 1},
                       {2, 6, 9, 9, 4, 3, 3, 1, 1, 0, 0, 2, 2, 2},
                       {2, 8, 7, 7, 8, 3, 3, 2, 2, 1, 1, 1, 1, 8},
                       {1, 5, 1, 40, 7, 1, 4, 1, 3, 0, 1, 1, 2, 1},
                       {20, 32, 14, 14, 24, 1, 1, 1, 1, 0, 0, 1, 1, 1},
                       {5, 3, 6, 6, 2, 7, 7, 2, 2, 3, 3, 1, 1, 1},
                       {19, 1, 14, 9, 6, 5, 5, 1, 1, 2, 2, 1, 1, 1},
                       {3, 4, 21, 19, 10, 3, 2, 2, 3, 1, 0, 2, 1, 1},
                       {2, 4, 30, 31, 3, 3, 3, 1, 1, 1, 2, 3, 2, 1},
                       {2, 2, 9, 300, 5, 2, 3, 3, 1, 0, 1, 1, 1, 1},
                       // As many pixels as the input has, but others.
                       {2, 4, 1, 3, 5, 1, 1, 1, 2, 0, 1, 1, 1, 1},
                       {2, 4, 3, 1, 5, 1, 1, 2, 1, 1, 0, 1, 1, 1},
                       // One pixel of each image.
                       {3, 300, 1, 1, 70, 1, 1, 2, 1, 0, 0, 1, 1, 1},
                       // Few images with much work, which are cut by channels or groups.
                       {1, 96, 20, 21, 100, 3, 3, 2, 1, 1, 1, 1, 1, 1},
                       {3, 70, 23, 24, 65, 2, 2, 1, 1, 0, 1, 1, 1, 1},
                       {2, 45, 26, 33, 30, 5, 3, 1, 1, 2, 1, 1, 1, 5},
                       {1, 7, 90, 120, 21, 7, 7, 1, 1, 3, 3, 1, 1, 7}};

/// Calls visit(output, input, weight) with the linear numbers of all terms of the convolution.
template <class Visit>
void for_terms(const Case& k, const Visit& visit) {
  const int64_t per_group = k.o / k.groups, inputs = k.c / k.groups;
  for (int64_t n = 0; n < k.n; ++n)
    for (int64_t o = 0; o < k.o; ++o)
      for (int64_t c = 0; c < inputs; ++c)
        for (int64_t a = 0; a < k.kh; ++a)
          for (int64_t b = 0; b < k.kw; ++b)
            for (int64_t i = 0; i < k.oh(); ++i) {
              const int64_t y = i * k.stride_h - k.pad_h + a * k.dilation_h;
              if (y < 0 || y >= k.h) continue;
              const int64_t channel = o / per_group * inputs + c;
              const int64_t output = ((n * k.o + o) * k.oh() + i) * k.ow();
              const int64_t input = ((n * k.c + channel) * k.h + y) * k.w;
              const int64_t weight = ((o * inputs + c) * k.kh + a) * k.kw + b;
              for (int64_t j = 0, x = b * k.dilation_w - k.pad_w, ow = k.ow(); j < ow;
                   ++j, x += k.stride_w)
                if (x >= 0 && x < k.w) visit(output + j, input + x, weight);
            }
}

template <class T>
struct Results {
  Array<T> output, dx, dw;
};

template <class T>
struct Inputs {
  Array<T> x, weight, bias, dy;
  explicit Inputs(const Case& k)
      : x(random_array<T>(k.input(), 1)),
        weight(random_array<T>(k.weight(), 2)),
        bias(random_array<T>({k.o}, 3)),
        dy(random_array<T>(k.output(), 4)) {}
};

template <class T>
Array<T> arranged(const Array<T>& array, bool last) {
  return last ? turned(array) : array;
}
template <class T>
Array<T> arranged_back(const Array<T>& array, bool last) {
  return last ? turned(array, true) : array;
}

/// Runs on arrays in these layouts. The results are plain.
template <class T>
Results<T> run_all(const Case& k, Inputs<T>& in, int threads, Layouts layouts = {}) {
  auto x = arranged(in.x, layouts.planes), dy = arranged(in.dy, layouts.planes);
  auto weight = arranged(in.weight, layouts.weight);
  auto y = arranged(Array<T>(k.output()), layouts.planes);
  auto dx = arranged(Array<T>(k.input()), layouts.planes);
  auto dw = arranged(Array<T>(k.weight()), layouts.weight);
  run(ComputeOp::conv2d, {x.view(), weight.view(), in.bias.view()}, {y.view()},
      k.attributes(true, layouts), threads);
  run(ComputeOp::conv2d_backward_input, {dy.view(), weight.view()}, {dx.view()},
      k.attributes(false, layouts), threads);
  run(ComputeOp::conv2d_backward_weight, {dy.view(), x.view()}, {dw.view()},
      k.attributes(false, layouts), threads);
  return {arranged_back(y, layouts.planes), arranged_back(dx, layouts.planes),
          arranged_back(dw, layouts.weight)};
}

/// What a sum should be, and how large its terms are together.
struct Sum {
  double value = 0, squares = 0, terms = 0;
  void add(double term) {
    value += term;
    squares += term * term;
    ++terms;
  }
};

/// Rounding each partial sum of n terms of random signs gives errors of about sqrt(n) / 5 units in
/// the last place of the terms' size; ten times that are allowed, as some of thousands of sums take
/// long ways, and the rounding of the result.
template <class T>
void check_close(const Array<T>& got, const std::vector<Sum>& expected) {
  constexpr double kUnit = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-23;
  constexpr double kResultUnit = std::is_same_v<T, Float16>    ? 0x1p-11
                                 : std::is_same_v<T, BFloat16> ? 0x1p-8
                                                               : kUnit;
  constexpr double kLeast = std::is_same_v<T, Float16> ? 0x1p-25 : 0;  // half its smallest number
  double worst = 0;
  bool finite = true;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Sum& sum = expected[i];
    const double allowed = 2 * kUnit * (1 + std::sqrt(sum.terms)) * std::sqrt(sum.squares) +
                           kResultUnit * std::fabs(sum.value) + kLeast;
    const double error = std::fabs(static_cast<double>(got.values[i]) - sum.value);
    finite &= std::isfinite(error);
    if (error > 0) worst = std::fmax(worst, error / allowed);
  }
  CAPTURE(name_of(dtype_of<T>()));
  CHECK(finite);
  CHECK(worst <= 1);
}

/// Filters of 3 x 3 with many channels, which are computed at Winograd's points.
const Case kWinogradCases[] = {{2, 32, 13, 22, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1},
                               {9, 64, 7, 7, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1},
                               {3, 32, 11, 16, 32, 3, 3, 1, 1, 0, 2, 1, 1, 1},
                               {1, 288, 21, 24, 32, 3, 3, 1, 1, 2, 1, 1, 1, 1}};

ConvolutionShape shape_of(const Case& k) {
  return {k.n,  k.c,        k.h,        k.w,     k.o,     k.oh(),       k.ow(),       k.kh,
          k.kw, k.stride_h, k.stride_w, k.pad_h, k.pad_w, k.dilation_h, k.dilation_w, k.groups};
}

/// Errors relative to the size of a sum of that number of terms with random signs.
void check_beside_terms(const Array<float>& got, const std::vector<double>& expected,
                        const std::vector<double>& squares, double tolerance) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    worst = std::fmax(worst, std::fabs(got.values[i] - expected[i]) / std::sqrt(squares[i]));
  CHECK(worst <= tolerance);
}

template <class T>
void check_case(const Case& k) {
  CAPTURE(k.n, k.c, k.h, k.o, k.kh, k.groups);
  Inputs<T> in(k);
  std::vector<Sum> y(k.output().numel()), dx(k.input().numel()), dw(k.weight().numel());
  const int64_t plane = k.oh() * k.ow();
  for (size_t i = 0; i < y.size(); ++i) y[i].add(in.bias.values[i / plane % k.o]);
  for_terms(k, [&](int64_t output, int64_t input, int64_t weight) {
    const double x = in.x.values[input], w = in.weight.values[weight], dy = in.dy.values[output];
    y[output].add(x * w);
    dx[input].add(dy * w);
    dw[weight].add(dy * x);
  });
  for (const Layouts layouts : kLayouts) {
    CAPTURE(layouts.planes, layouts.weight);
    const Results<T> got = run_all(k, in, 2, layouts);
    check_close(got.output, y);
    check_close(got.dx, dx);
    check_close(got.dw, dw);
  }
}

}  // namespace

TEST_CASE("convolutions agree with plain loops", "[cpu][reference]") {
  for (const Case& k : kCases) {
    check_case<float>(k);
    check_case<double>(k);
    check_case<Float16>(k);
    check_case<BFloat16>(k);
  }
}

TEST_CASE("convolutions at Winograd's points agree with plain loops", "[cpu][reference]") {
  for (const Case& k : kWinogradCases) {
    CAPTURE(k.n, k.c, k.h, k.o, k.pad_h, k.pad_w);
    REQUIRE(winograd_suits_forward(shape_of(k)));
    REQUIRE(winograd_suits_backward_input(shape_of(k)));
    REQUIRE(winograd_suits_backward_weight(shape_of(k)));
    Inputs<float> in(k);
    std::vector<double> y(k.output().numel()), dx(k.input().numel()), dw(k.weight().numel());
    std::vector<double> y2(y.size()), dx2(dx.size()), dw2(dw.size());
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = in.bias.values[i / (k.oh() * k.ow()) % k.o], y2[i] = y[i] * y[i];
    const auto add = [](double& sum, double& squares, double term) {
      sum += term;
      squares += term * term;
    };
    for_terms(k, [&](int64_t output, int64_t input, int64_t weight) {
      const double slope = in.dy.values[output], x = in.x.values[input];
      add(y[output], y2[output], x * in.weight.values[weight]);
      add(dx[input], dx2[input], slope * in.weight.values[weight]);
      add(dw[weight], dw2[weight], slope * x);
    });
    for (const Layouts layouts : kLayouts) {
      CAPTURE(layouts.planes, layouts.weight);
      const Results<float> got = run_all(k, in, 2, layouts);
      // Direct convolutions are off by up to 2e-6 here; the points multiply that.
      check_beside_terms(got.output, y, y2, 2e-5);
      check_beside_terms(got.dx, dx, dx2, 2e-5);
      check_beside_terms(got.dw, dw, dw2, 2e-5);
    }
  }
}

TEST_CASE("a convolution with a prepared weight has the bits of one without", "[cpu]") {
  for (const auto& cases : {std::span<const Case>(kCases), std::span<const Case>(kWinogradCases)})
    for (const Case& k : cases)
      for (const Layouts layouts : kLayouts)
        for (const bool finite : {true, false}) {
          CAPTURE(k.n, k.c, k.h, k.o, k.kh, k.groups, layouts.planes, layouts.weight, finite);
          Inputs<float> in(k);
          if (!finite) in.weight.values[0] = std::numeric_limits<float>::infinity();
          const Array<float> expected = run_all(k, in, 2, layouts).output;
          const auto attributes = k.preparing(layouts);
          Array<float> prepared({prepared_weight_size(attributes)});
          auto x = arranged(in.x, layouts.planes), weight = arranged(in.weight, layouts.weight);
          auto y = arranged(expected, layouts.planes);
          y.values.assign(y.values.size(), 0);
          run(ComputeOp::prepare_weight, {weight.view()}, {prepared.view()}, attributes);
          run(ComputeOp::conv2d, {x.view(), weight.view(), in.bias.view(), prepared.view()},
              {y.view()}, k.attributes(true, layouts));
          CHECK(same_bits(arranged_back(y, layouts.planes).values, expected.values));
        }
}

TEST_CASE("Winograd's points are left to shapes that they suit", "[cpu]") {
  const Case suitable{2, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  REQUIRE(winograd_suits_forward(shape_of(suitable)));
  Case few_channels = suitable, strided = suitable, small = suitable, wide = suitable;
  few_channels.c = 24;
  strided.stride_w = 2;
  small.h = small.w = 4;
  wide.pad_h = 3;
  for (const Case& k : {few_channels, strided, small, wide}) {
    CHECK_FALSE(winograd_suits_forward(shape_of(k)));
    CHECK_FALSE(winograd_suits_backward_input(shape_of(k)));
    CHECK_FALSE(winograd_suits_backward_weight(shape_of(k)));
  }
}

namespace {

/// Results of one thread and of several.
template <class T>
void check_threads(std::initializer_list<std::span<const Case>> all,
                   std::initializer_list<int> counts) {
  for (const auto& cases : all)
    for (const Case& k : cases) {
      CAPTURE(k.n, k.c, k.h, k.o, k.kh, k.groups);
      Inputs<T> in(k);
      for (const Layouts layouts : {Layouts{}, Layouts{true, false}}) {
        const Results<T> one = run_all(k, in, 1, layouts);
        for (const int threads : counts) {
          const Results<T> several = run_all(k, in, threads, layouts);
          CHECK(same_bits(one.output.values, several.output.values));
          CHECK(same_bits(one.dx.values, several.dx.values));
          CHECK(same_bits(one.dw.values, several.dw.values));
        }
      }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("convolutions give the same bits for any number of threads", "[cpu][reference]",
                   float, double, Float16, BFloat16) {
  check_threads<TestType>({kCases, kWinogradCases}, {2, 4});
}

// With less work, for sanitizers: double has no points of its own.
TEMPLATE_TEST_CASE("convolutions of three threads have the bits of one", "[cpu]", float, double,
                   Float16, BFloat16) {
  if (std::is_same_v<TestType, double>)
    check_threads<TestType>({kCases}, {3});
  else
    check_threads<TestType>({kCases, kWinogradCases}, {3});
}

TEST_CASE("a convolution without images or channels gives zeros and the bias", "[cpu]") {
  const Case no_channels{2, 0, 4, 4, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  Inputs<float> in(no_channels);
  const Results<float> got = run_all(no_channels, in, 1);
  for (size_t i = 0; i < got.output.values.size(); ++i)
    REQUIRE(got.output.values[i] == in.bias.values[i / 16 % 3]);
  const Case no_images{0, 2, 4, 4, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  Inputs<float> none(no_images);
  CHECK(run_all(no_images, none, 1).dw.values == std::vector<float>(3 * 2 * 9, 0.0f));
}
