// How the compute op `embedding_bag` combines rows.
#pragma once

#include <cstdint>

namespace tide {

enum class BagMode : int64_t { sum, mean, max };

}  // namespace tide
