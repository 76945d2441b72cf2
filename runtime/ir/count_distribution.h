// The distributions of the compute op `random_count`.
#pragma once

#include <cstdint>

namespace tide {

/// poisson: a is the rate; b is ignored. binomial: a is the number of trials, b the probability of
/// success.
enum class CountDistribution : int64_t { poisson, binomial };

}  // namespace tide
