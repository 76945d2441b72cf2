// The functions of the compute op `pair_function`.
#pragma once

#include <cstdint>

namespace tide {

/// gcd, lcm: integers. igamma, igammac, nextafter: floating types.
enum class PairFunction : int64_t { gcd, lcm, igamma, igammac, nextafter };

}  // namespace tide
