// Random numbers. Each is Philox of (seed, offset + its index in row-major order), so the same seed
// gives the same numbers on every device, however work is split or fused.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// A stream of random numbers: each op claims its next numel numbers when it is recorded.
class Generator {
 public:
  explicit Generator(uint64_t seed = 0) : seed_(seed) {}

  /// Restarts at the beginning of the stream of `seed`.
  void manual_seed(uint64_t seed) {
    seed_ = seed;
    offset_ = 0;
  }
  uint64_t seed() const { return seed_; }
  uint64_t offset() const { return offset_; }
  void set_state(uint64_t seed, uint64_t offset) {
    seed_ = seed;
    offset_ = offset;
  }
  /// Claims `count` numbers; returns the offset of the first.
  uint64_t advance(int64_t count);

 private:
  uint64_t seed_;
  uint64_t offset_ = 0;
};

/// The generator of the calling thread that ops use when none is given.
Generator& default_generator();
/// Between construction and destruction (on this thread) another generator is the default; null
/// keeps the current one.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator* generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator* previous_;
};

/// Uniform in [0, 1).
Tensor rand(const Shape& shape, const TensorOptions& options = {});
/// Normal with mean 0 and variance 1.
Tensor randn(const Shape& shape, const TensorOptions& options = {});
/// Integers first..last, both ends included.
Tensor randint(int64_t first, int64_t last, const Shape& shape, const TensorOptions& options = {});
/// Integers 1..last.
Tensor randint_to(int64_t last, const Shape& shape, const TensorOptions& options = {});
/// The positions 1..n in random order.
Tensor randperm(int64_t n, const TensorOptions& options = {});
/// Normal values with the given mean and standard deviation.
Tensor normal(double mean, double deviation, const Shape& shape, const TensorOptions& options = {});

/// Normal values with elementwise mean and standard deviation (1), in the type of the first tensor.
/// Not differentiable. Checks for negative deviations, which waits.
Tensor normal_of(const TensorOrNumber& mean, const std::optional<TensorOrNumber>& deviation = {});

Tensor rand_like(const Tensor& x, const TensorOptions& options = {});
Tensor randn_like(const Tensor& x, const TensorOptions& options = {});
Tensor randint_like(const Tensor& x, int64_t first, int64_t last,
                    const TensorOptions& options = {});
/// Integers 1..last.
Tensor randint_like_to(const Tensor& x, int64_t last, const TensorOptions& options = {});

/// 1 with the probability in x, else 0. A probability outside 0..1 is reported when the result is
/// read.
Tensor bernoulli(const Tensor& x);
/// Event counts of Poisson distributions with these rates. Not differentiable.
Tensor poisson(const Tensor& rate);
/// The number of successes in `count` trials with this probability. Not differentiable.
Tensor binomial(const Tensor& count, const Tensor& prob);
/// `count` positions in each row of weights, drawn with probabilities proportional to the weights.
Tensor multinomial(const Tensor& weights, int64_t count, bool replacement = false);

/// Zeros each element with probability p (default 0.5) and scales the others by 1 / (1 - p);
/// x itself unless `training` (default true).
Tensor dropout(const Tensor& x, std::optional<double> p = {}, std::optional<bool> training = {});
/// Dropout of entire channels (the second dimension), with one draw for each channel of each
/// sample. In the one- and three-dimensional versions the batch dimension is optional.
Tensor dropout1d(const Tensor& x, std::optional<double> p = {}, std::optional<bool> training = {});
Tensor dropout2d(const Tensor& x, std::optional<double> p = {}, std::optional<bool> training = {});
Tensor dropout3d(const Tensor& x, std::optional<double> p = {}, std::optional<bool> training = {});
/// Dropout that preserves mean and variance of SELU outputs, by elements or by channels.
Tensor alpha_dropout(const Tensor& x, std::optional<double> p = {}, bool training = false);
Tensor feature_alpha_dropout(const Tensor& x, std::optional<double> p = {}, bool training = false);

/// Overwrite x with random numbers.
void uniform_(const Tensor& x, std::optional<double> from = {}, std::optional<double> to = {});
/// Integers from `from` (1) to `to`, both included; the default is the largest up to which the type
/// represents all integers. A single argument is `to`.
void random_(const Tensor& x, std::optional<int64_t> from = {}, std::optional<int64_t> to = {});
void normal_(const Tensor& x, std::optional<double> mean = {}, std::optional<double> std = {});
void bernoulli_(const Tensor& x, std::optional<double> p = {});
/// Exponential distribution of a rate (1): density rate * exp(-rate x).
void exponential_(const Tensor& x, std::optional<double> rate = {});
/// Log-normal, Cauchy and geometric distributions.
void log_normal_(const Tensor& x, std::optional<double> mean = {}, std::optional<double> std = {});
void cauchy_(const Tensor& x, std::optional<double> median = {}, std::optional<double> scale = {});
void geometric_(const Tensor& x, double p);

}  // namespace tide
