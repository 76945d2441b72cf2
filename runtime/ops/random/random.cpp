// Counter-based random numbers, and sampling with them.
#include "runtime/ops/random/random.h"

#include <cmath>
#include <numbers>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ir/count_distribution.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/reduce/searching.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "runtime/record/replay.h"
#include "runtime/tensor/record.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The generator that replaces the thread's default.
thread_local Generator* generator_in_scope = nullptr;

/// The next numbers of the thread's generator, by the random op. `range` is for integers only.
Tensor draw(const char* name, ElementwiseOp op, DType type, const Shape& shape, Device device,
            std::optional<int64_t> range = {}) {
  Generator& generator = default_generator();
  const Number seed(static_cast<int64_t>(generator.seed()));
  const Number offset(static_cast<int64_t>(generator.advance(shape.numel())));
  const Layout counter(shape);
  if (range)
    return record_iota(op, name, counter, type, DType::i64, device, {seed, offset, Number(*range)});
  return record_iota(op, name, counter, type, DType::i64, device, {seed, offset});
}

/// The largest integer up to which the type represents all integers.
int64_t largest_exact_integer(DType type) {
  switch (type) {
    case DType::boolean:
      return 1;
    case DType::u8:
      return 255;
    case DType::f64:
      return int64_t{1} << 53;
    case DType::f32:
      return 1 << 24;
    case DType::f8e4m3:
      return 1 << 4;
    case DType::f8e5m2:
      return 1 << 3;
    case DType::f16:
      return 1 << 11;
    case DType::bf16:
      return 1 << 8;
    default:
      return static_cast<int64_t>((uint64_t{1} << (8 * size_of(type) - 1)) - 1);
  }
}

/// Uniform or normal numbers of a floating type; narrow types are rounded from f32.
Tensor draw_floating(const char* name, bool normal, const Shape& shape, DType type, Device device) {
  check_floating(name, type);
  const bool wide = type == DType::f64;
  const ElementwiseOp op =
      normal ? (wide ? ElementwiseOp::random_normal_f64 : ElementwiseOp::random_normal)
             : (wide ? ElementwiseOp::random_uniform_f64 : ElementwiseOp::random_uniform);
  const Tensor drawn = draw(name, op, compute_type(type), shape, device);
  if (normal || !is_narrow(type)) return convert(drawn, type);
  // Uses only the type's number of bits: a value just below 1 with more bits would be rounded to 1.
  const auto steps = static_cast<double>(largest_exact_integer(type));
  return convert(floor(drawn * steps) * (1 / steps), type);
}

/// Exponential values of rate 1. Never 0, as samplers divide by them and take their logarithm: a
/// uniform 0 is replaced by the middle of the first step.
Tensor draw_waits(const char* name, const Shape& shape, DType type, Device device) {
  const Tensor drawn = draw_floating(name, false, shape, type, device);
  const double half_step = type == DType::f64 ? 0x1p-54 : 0x1p-25;
  return neg(log1p(neg(clamp_min(drawn, Number(half_step)))));
}

Tensor draw_for(const char* name, bool normal, const Shape& shape, const TensorOptions& options) {
  return finish(draw_floating(name, normal, shape, options.dtype.value_or(default_dtype()),
                              options.device.value_or(Device{})),
                options);
}

void check_probability(const char* name, double p) {
  if (!(p >= 0 && p <= 1))
    throw Error(std::string(name) + ": " + unmet(Requirement::probability) + ", got " +
                number_text(p));
}

/// The shape with sizes of 1 after the channels: one draw for each channel. `unbatched` is the
/// number of dimensions of x without the batch.
Shape channel_shape(const Tensor& x, int unbatched) {
  Shape shape = x.shape();
  for (int d = x.rank() == unbatched ? 1 : 2; d < shape.rank(); ++d) shape[d] = 1;
  return shape;
}

/// Throws DTypeError unless the type can represent all numbers from low to high.
void check_ends(const char* name, int64_t low, int64_t high, DType type) {
  for (const int64_t end : {low, high}) {
    if (type == DType::boolean && (end < 0 || end > 1))
      throw DTypeError(std::string(name) + ": bool has 0 and 1, got " + std::to_string(end));
    check_fits(name, static_cast<double>(end), type);
  }
}

/// Integers first..last, as i64, for elements of the type.
Tensor draw_integers(const char* name, int64_t first, int64_t last, DType type, const Shape& shape,
                     Device device) {
  if (last < first)
    throw Error(std::string(name) + ": there are no numbers from " + std::to_string(first) +
                " to " + std::to_string(last));
  check_ends(name, first, last, type);
  const auto some = [&](int64_t count) {
    return draw(name, ElementwiseOp::random_integer, DType::i64, shape, device, count);
  };
  // The count is unsigned; 0 stands for 2^64.
  const uint64_t count = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  constexpr int64_t kHalf = int64_t{1} << 32;
  if (count == 0) return some(kHalf) * Number(kHalf) + some(kHalf);
  return some(static_cast<int64_t>(count)) + Number(first);
}

/// Randomly selected elements of x become SELU(-infinity); scaling and shifting preserves mean and
/// variance (Klambauer et al., "Self-normalizing neural networks", 2017).
Tensor drop_alpha(const char* name, const Tensor& x, std::optional<double> probability,
                  bool training, const Shape& shape) {
  constexpr double kLeast = -1.7580993408473766;
  const double p = probability.value_or(0.5);
  check_probability(name, p);
  if (!training || p == 0) return x;
  if (p == 1) return x * 0.0;
  const double scale = 1 / std::sqrt((kLeast * kLeast * p + 1) * (1 - p));
  const Tensor drawn = draw_floating(name, false, shape, DType::f32, x.device());
  return where(ge(drawn, p), x, kLeast) * scale - scale * kLeast * p;
}

/// Zeros random parts of x; `shape`, with one draw for each element, broadcasts to x's.
Tensor drop(const char* name, const Tensor& x, std::optional<double> probability,
            std::optional<bool> training, const Shape& shape) {
  const double p = probability.value_or(0.5);
  check_probability(name, p);
  if (!training.value_or(true) || p == 0) return x;
  if (p == 1) return x * 0.0;
  const Tensor drawn = draw_floating(name, false, shape, DType::f32, x.device());
  return where(ge(drawn, p), x * (1 / (1 - p)), 0.0);
}

}  // namespace

uint64_t Generator::advance(int64_t count) {
  if (ReplayRecording* recording = ReplayRecording::of_thread()) [[unlikely]]
    recording->spoil();
  const uint64_t first = offset_;
  offset_ += static_cast<uint64_t>(count);
  return first;
}

Generator& default_generator() {
  static thread_local Generator generator;
  return generator_in_scope ? *generator_in_scope : generator;
}

GeneratorScope::GeneratorScope(Generator* generator) : previous_(generator_in_scope) {
  if (generator) generator_in_scope = generator;
}

GeneratorScope::~GeneratorScope() { generator_in_scope = previous_; }

Tensor rand(const Shape& shape, const TensorOptions& options) {
  return draw_for("rand", false, shape, options);
}

Tensor randn(const Shape& shape, const TensorOptions& options) {
  return draw_for("randn", true, shape, options);
}

Tensor randint(int64_t first, int64_t last, const Shape& shape, const TensorOptions& options) {
  const DType type = options.dtype.value_or(DType::i64);
  return finish(
      convert(draw_integers("randint", first, last, type, shape, options.device.value_or(Device{})),
              type),
      options);
}

Tensor randint_to(int64_t last, const Shape& shape, const TensorOptions& options) {
  return randint(1, last, shape, options);
}

Tensor randperm(int64_t n, const TensorOptions& options) {
  check_least("randperm", "n", n, 0);
  const DType type = options.dtype.value_or(DType::i64);
  if (n > largest_exact_integer(type))
    throw DTypeError("randperm: n must be at most " + std::to_string(largest_exact_integer(type)) +
                     " for " + std::string(name_of(type)) + ", got " + std::to_string(n));
  // Uniform keys, wide enough that few are equal (those keep their order) and the fastest to sort.
  // Among a million 32-bit keys, about 116 pairs are equal.
  const int64_t range = int64_t{1} << (n <= 1 << 20 ? 32 : 62);
  const Tensor keys = draw("randperm", ElementwiseOp::random_integer, DType::i64, {n},
                           options.device.value_or(Device{}), range);
  return finish(convert(argsort(keys), type), options);
}

Tensor normal(double mean, double deviation, const Shape& shape, const TensorOptions& options) {
  check_non_negative("normal", "std", deviation);
  TensorOptions plain = options;
  plain.requires_grad = plain.pin_memory = false;
  return finish(randn(shape, plain) * deviation + mean, options);
}

Tensor normal_of(const TensorOrNumber& mean, const std::optional<TensorOrNumber>& std_deviation) {
  GradientMode off(false);
  const TensorOrNumber deviation = std_deviation.value_or(1);
  const Tensor& model = mean.tensor.defined() ? mean.tensor : deviation.tensor;
  if (!model.defined())
    throw Error("normal: the mean or the deviation must be a tensor, or a shape must follow");
  const Tensor& last = deviation.tensor.defined() ? deviation.tensor : model;
  check_floating("normal", model.dtype());
  check_floating("normal", last.dtype());
  const Shape shape = broadcast("normal", model.shape(), last.shape());
  bool negative = !deviation.tensor.defined() && !(deviation.number.as_double() >= 0);
  if (deviation.tensor.defined() && last.numel() > 0) any(lt(last, 0)).read(&negative, "normal");
  if (negative) throw Error("normal: a deviation is negative");
  return randn(shape, {.dtype = model.dtype(), .device = model.device()}) *
             (deviation.tensor.defined() ? convert(last, model.dtype()) : deviation) +
         mean;
}

Tensor rand_like(const Tensor& x, const TensorOptions& options) {
  return rand(x.shape(), like(x, options));
}
Tensor randn_like(const Tensor& x, const TensorOptions& options) {
  return randn(x.shape(), like(x, options));
}
Tensor randint_like(const Tensor& x, int64_t first, int64_t last, const TensorOptions& options) {
  return randint(first, last, x.shape(), like(x, options));
}

Tensor randint_like_to(const Tensor& x, int64_t last, const TensorOptions& options) {
  return randint_like(x, 1, last, options);
}

Tensor bernoulli(const Tensor& x) {
  GradientMode off(false);
  const Tensor drawn =
      draw_floating("bernoulli", false, x.shape(), compute_type(x.dtype()), x.device());
  const Tensor possible = all(logical_and(ge(x, 0), le(x, 1)));
  const Tensor p = require("bernoulli", Requirement::probability, possible, x);
  return convert(lt(drawn, p), x.dtype());
}

namespace {

/// Counts in the type of a; each is drawn from its own random stream.
Tensor draw_counts(const char* name, CountDistribution distribution, const Tensor& a,
                   const Tensor& b) {
  const GradientMode off(false);
  const Shape shape = broadcast(name, a.shape(), b.shape());
  const Tensor keys =
      draw(name, ElementwiseOp::random_integer, DType::i64, shape, a.device(), INT64_MAX);
  const Tensor inputs[] = {broadcast_to(convert(a, DType::f64), shape),
                           broadcast_to(convert(b, DType::f64), shape), keys};
  const ComputeResult result{shape, DType::f64};
  const auto attributes = pack(RandomCountAttributes{distribution});
  return convert(record_compute(ComputeOp::random_count, name, inputs, {&result, 1}, attributes)[0],
                 a.dtype());
}

}  // namespace

Tensor poisson(const Tensor& rate) {
  check_floating("poisson", rate.dtype(), "rates");
  GradientMode off(false);
  const Tensor checked = require("poisson", Requirement::rate, all(ge(rate, 0)), rate);
  return draw_counts("poisson", CountDistribution::poisson, checked, checked);
}

Tensor binomial(const Tensor& count, const Tensor& probability) {
  check_floating("binomial", count.dtype());
  check_same_type("binomial", count.dtype(), probability.dtype());
  return draw_counts("binomial", CountDistribution::binomial, count, probability);
}

namespace {

/// Rows of weights, which must allow `count` draws without replacement.
Tensor checked_weights(const Tensor& weights, int64_t count) {
  const Tensor possible = logical_and(ge(weights, 0), isfinite(weights));
  const Tensor above = sum(gt(weights, 0), Dims{-1});
  const Tensor valid = logical_and(all(possible), all(ge(above, Number(1))));
  Tensor checked = require("multinomial", Requirement::weights, valid, weights);
  if (count == 1) return checked;
  return require("multinomial", Requirement::enough_choices, all(ge(above, Number(count))),
                 checked);
}

}  // namespace

Tensor multinomial(const Tensor& weights, int64_t count, bool replacement) {
  GradientMode off(false);
  check_rank("multinomial", weights, 1, 2, "weights");
  check_floating("multinomial", weights.dtype(), "weights");
  if (weights.rank() == 1)
    return squeeze(multinomial(unsqueeze(weights, Dim{0}), count, replacement), Dims{0});
  const int64_t rows = weights.shape()[0], choices = weights.shape()[1];
  if (count < 1 || choices < 1 || (!replacement && count > choices))
    throw ShapeError("multinomial: " + std::to_string(count) + " draws from " +
                     std::to_string(choices) + " choices are not possible");
  const Tensor wide = checked_weights(convert(weights, DType::f64), replacement ? 1 : count);
  if (!replacement) {
    // Exponential waiting times of independent events: the earliest are the draws.
    const Tensor waits =
        draw_waits("multinomial", weights.shape(), DType::f64, weights.device()) / wide;
    return std::get<1>(topk(waits, count, Dim{-1}, false));
  }
  const Tensor drawn =
      draw_floating("multinomial", false, {rows, count}, DType::f64, weights.device());
  const Tensor steps = cumsum(wide, Dim{-1});
  const Tensor total = slice(steps, 1, choices - 1, 1);
  const Tensor found = searchsorted(steps, drawn * total, false, true);
  // If rounding reached the total, the last choice with nonzero weight is taken.
  return minimum(found, argmax(steps, Dim{-1}, true));
}

Tensor dropout(const Tensor& x, std::optional<double> p, std::optional<bool> training) {
  return drop("dropout", x, p, training, x.shape());
}

Tensor dropout1d(const Tensor& x, std::optional<double> p, std::optional<bool> training) {
  return drop("dropout1d", x, p, training, channel_shape(x, 2));
}

Tensor dropout2d(const Tensor& x, std::optional<double> p, std::optional<bool> training) {
  return drop("dropout2d", x, p, training, channel_shape(x, 0));
}

Tensor dropout3d(const Tensor& x, std::optional<double> p, std::optional<bool> training) {
  return drop("dropout3d", x, p, training, channel_shape(x, 4));
}

Tensor alpha_dropout(const Tensor& x, std::optional<double> p, bool training) {
  return drop_alpha("alpha_dropout", x, p, training, x.shape());
}

Tensor feature_alpha_dropout(const Tensor& x, std::optional<double> p, bool training) {
  return drop_alpha("feature_alpha_dropout", x, p, training, channel_shape(x, 0));
}

void uniform_(const Tensor& x, std::optional<double> from, std::optional<double> to) {
  const double low = from.value_or(0), high = to.value_or(1);
  if (is_floating(x.dtype()) && !(low <= high && high - low <= largest_of(x.dtype()) &&
                                  std::abs(low) <= largest_of(x.dtype())))
    throw Error("uniform_: " + std::string(name_of(x.dtype())) + " has no range from " +
                number_text(low) + " to " + number_text(high));
  const Tensor drawn = draw_floating("uniform_", false, x.shape(), x.dtype(), x.device());
  const Tensor scaled = convert(drawn * (high - low) + low, x.dtype());
  // Rounding may have reached the end, which is excluded.
  write("uniform_", x, high > low ? where(ge(scaled, high), low, scaled) : scaled);
}

void random_(const Tensor& x, std::optional<int64_t> from, std::optional<int64_t> to) {
  const bool ends = from && to;
  const int64_t low = ends ? *from : 1;
  const int64_t high = ends ? *to : from.value_or(to.value_or(largest_exact_integer(x.dtype())));
  write("random_", x,
        convert(draw_integers("random_", low, high, x.dtype(), x.shape(), x.device()), x.dtype()));
}

void normal_(const Tensor& x, std::optional<double> mean, std::optional<double> std) {
  check_non_negative("normal_", "std", std.value_or(1));
  const Tensor drawn = draw_floating("normal_", true, x.shape(), x.dtype(), x.device());
  write("normal_", x, drawn * std.value_or(1) + mean.value_or(0));
}

void bernoulli_(const Tensor& x, std::optional<double> p) {
  check_probability("bernoulli_", p.value_or(0.5));
  const Tensor drawn = draw_floating("bernoulli_", false, x.shape(), DType::f32, x.device());
  write("bernoulli_", x, convert(lt(drawn, p.value_or(0.5)), x.dtype()));
}

void exponential_(const Tensor& x, std::optional<double> rate) {
  check_positive("exponential_", "the rate", rate.value_or(1));
  const DType type = x.dtype();
  const Tensor waits = draw_waits("exponential_", x.shape(), compute_type(type), x.device());
  // Division by a large rate or rounding must not give zero either; only an infinite rate does.
  const double least = std::isinf(rate.value_or(1)) ? 0
                       : type == DType::f8e4m3      ? 0x1p-9
                       : type == DType::f8e5m2      ? 0x1p-16
                       : type == DType::f16         ? 0x1p-24
                       : type == DType::f64         ? 0x1p-1022
                                                    : 0x1p-126;
  write("exponential_", x, clamp_min(waits / rate.value_or(1), Number(least)));
}

void log_normal_(const Tensor& x, std::optional<double> mean, std::optional<double> std) {
  check_positive("log_normal_", "std", std.value_or(2));
  const Tensor drawn =
      draw_floating("log_normal_", true, x.shape(), compute_type(x.dtype()), x.device());
  write("log_normal_", x, exp(drawn * std.value_or(2) + mean.value_or(1)));
}

void cauchy_(const Tensor& x, std::optional<double> median, std::optional<double> scale) {
  check_positive("cauchy_", "sigma", scale.value_or(1));
  const Tensor drawn =
      draw_floating("cauchy_", false, x.shape(), compute_type(x.dtype()), x.device());
  write("cauchy_", x,
        tan((drawn - 0.5) * std::numbers::pi) * scale.value_or(1) + median.value_or(0));
}

void geometric_(const Tensor& x, double p) {
  if (!(p > 0 && p < 1))
    throw Error("geometric_: expected a probability above 0 and below 1, got " + number_text(p));
  check_numbers("geometric_", x);
  const Tensor drawn = draw_floating("geometric_", false, x.shape(), DType::f64, x.device());
  const Tensor tries = ceil(log1p(neg(drawn)) / std::log1p(-p));
  write("geometric_", x, convert(clamp_min(tries, Number(1.0)), x.dtype()));
}

}  // namespace tide
