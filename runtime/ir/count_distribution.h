// The distributions of the compute op `random_count`.
#pragma once

#include <cstdint>

namespace tide {

/// poisson: a is the rate; b is not read. binomial: a is the number of tries, b the probability of
/// each.
enum class CountDistribution : int64_t { poisson, binomial };

}  // namespace tide
