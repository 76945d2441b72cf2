#include "runtime/profile/computation.h"

#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace tide::profile {
namespace {

struct Digest {
  size_t operator()(const Computation& computation) const {
    auto digest = reinterpret_cast<uint64_t>(computation.name);
    const auto mix = [&](int64_t word) {
      digest = (digest ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15;
      digest ^= digest >> 32;
    };
    for (const auto* operands : {&computation.inputs, &computation.outputs})
      for (const Operand& operand : *operands) {
        mix(static_cast<int64_t>(operand.type));
        for (int d = 0; d < operand.layout.rank(); ++d) {
          mix(operand.layout.shape[d]);
          mix(operand.layout.strides[d]);
        }
      }
    return digest;
  }
};

}  // namespace

const Computation* keep_computation(const Computation& computation) {
  static auto& known = *new std::unordered_set<Computation, Digest>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  return &*known.insert(computation).first;
}

}  // namespace tide::profile
