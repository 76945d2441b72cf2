// The positions of the true elements of a mask.
#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/wide_vectors.h"

namespace tide {
namespace {

/// Elements worth a thread, and elements that are scanned together.
constexpr int64_t kGrain = 1 << 15;
constexpr int64_t kTogether = 1024;

int64_t count_true(const uint8_t* mask, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += mask[i] != 0;
  return sum;
}

/// Writes the positions of the true elements in [begin, end), at most `capacity` of them.
void write_positions(const uint8_t* mask, const Shape& shape, int64_t begin, int64_t end,
                     int64_t capacity, int64_t* out) {
  const int last = shape.rank() - 1;
  const int64_t length = shape[last];
  int64_t outer[kMaxDims] = {};
  int64_t found[kTogether];
  while (begin < end) {
    // A stretch of one row: the positions along all dimensions but the last are constant.
    const int64_t row = begin / length, first = row * length;
    const int64_t stretch_end = std::min({end, first + length, begin + kTogether});
    int64_t remaining = row;
    for (int d = last - 1; d >= 0; remaining /= shape[d--]) outer[d] = remaining % shape[d] + 1;
    // Without a branch, which would be unpredictable.
    int64_t count = 0;
    for (int64_t i = begin; i < stretch_end; ++i) {
      found[count] = i - first + 1;
      count += mask[i] != 0;
    }
    count = std::min(count, capacity);
    for (int64_t i = 0; i < count; ++i) {
      for (int d = 0; d < last; ++d) *out++ = outer[d];
      *out++ = found[i];
    }
    capacity -= count;
    begin = stretch_end;
  }
}

}  // namespace

void compute_nonzero(ComputeCall& call) {
  static const auto count = fastest<count_true>();
  const auto* mask = static_cast<const uint8_t*>(call.inputs[0].data);
  auto* out = static_cast<int64_t*>(call.outputs[0].data);
  const Shape& shape = call.inputs[0].layout.shape;
  const int64_t rows = call.outputs[0].layout.shape[0], rank = shape.rank();
  const int64_t elements = shape.numel();
  const int64_t parts = std::clamp<int64_t>(elements / kGrain, 1, 4 * call.parallel->threads());
  const auto begin_of = [&](int64_t part) { return elements * part / parts; };
  std::vector<int64_t> starts(static_cast<size_t>(parts) + 1);
  const auto for_parts = [&](const auto& body) {
    call.parallel->for_range(parts, 1, [&](int64_t first, int64_t end) {
      for (int64_t part = first; part < end; ++part) body(part);
    });
  };
  for_parts([&](int64_t part) {
    const int64_t begin = begin_of(part);
    starts[static_cast<size_t>(part) + 1] = count(mask + begin, begin_of(part + 1) - begin);
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for_parts([&](int64_t part) {
    const int64_t start = std::min(rows, starts[static_cast<size_t>(part)]);
    write_positions(mask, shape, begin_of(part), begin_of(part + 1), rows - start,
                    out + start * rank);
  });
}

}  // namespace tide
