// Convolutions of the fake cuDNN.
#include "tests/cuda/fake_dnn/convolution.h"

#include <vector>

namespace fake {
namespace {

int64_t at(const DnnArray& array, const Place& place) {
  int64_t sum = 0;
  for (size_t d = 0; d < 4; ++d) sum += place[d] * array.strides[d];
  return sum;
}

/// The elements as Tensor Cores round them.
std::vector<double> factors(const void* data, const DnnArray& array, bool tf32) {
  std::vector<double> result(array.capacity());
  for_places(array, [&](const Place& place) {
    const int64_t from = at(array, place);
    const double value = read_number(data, array.format, from);
    result[static_cast<size_t>(from)] = tf32 ? rounded_to_tf32(value) : value;
  });
  return result;
}

}  // namespace

size_t DnnArray::capacity() const {
  int64_t last = 0;
  for (size_t d = 0; d < 4; ++d) last += (sizes[d] - 1) * strides[d];
  return static_cast<size_t>(last + 1);
}

bool DnnConvolution::fits() const {
  if (x.format != weight.format || x.format != y.format) return false;
  if (x.sizes[0] != y.sizes[0] || weight.sizes[0] != y.sizes[1]) return false;
  if (x.sizes[1] % weight.sizes[1] != 0 || weight.sizes[0] % groups() != 0) return false;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = dilation[d] * (weight.sizes[d + 2] - 1) + 1;
    if (stride[d] < 1 || dilation[d] < 1 || padding[d] < 0) return false;
    if ((x.sizes[d + 2] + 2 * padding[d] - reach) / stride[d] + 1 != y.sizes[d + 2]) return false;
  }
  return true;
}

void DnnConvolution::compute(const void* x_data, const void* weight_data, const void* y_data,
                             bool tf32) const {
  const DnnArray& result = pass == Pass::forward ? y : pass == Pass::data ? x : weight;
  const void* to = pass == Pass::forward ? y_data : pass == Pass::data ? x_data : weight_data;
  std::vector<double> sums(result.capacity()), images, weights, outputs;
  if (pass != Pass::data) images = factors(x_data, x, tf32);
  if (pass != Pass::filter) weights = factors(weight_data, weight, tf32);
  if (pass != Pass::forward) outputs = factors(y_data, y, tf32);
  const int64_t channels = weight.sizes[1], outputs_of_group = y.sizes[1] / groups();
  for (int64_t n = 0; n < y.sizes[0]; ++n)
    for_places(weight, [&](const Place& place) {
      const auto [o, c, p, q] = place;
      const int64_t channel = o / outputs_of_group * channels + c;
      const auto at_weight = static_cast<size_t>(at(weight, place));
      for (int64_t i = 0; i < y.sizes[2]; ++i)
        for (int64_t j = 0; j < y.sizes[3]; ++j) {
          const int64_t row = i * stride[0] - padding[0] + p * dilation[0];
          const int64_t column = j * stride[1] - padding[1] + q * dilation[1];
          const bool inside = row >= 0 && row < x.sizes[2] && column >= 0 && column < x.sizes[3];
          const auto at_x = static_cast<size_t>(inside ? at(x, {n, channel, row, column}) : 0);
          const auto at_y = static_cast<size_t>(at(y, {n, o, i, j}));
          // The padding's zeros are multiplied, too: with infinity they become nan.
          if (pass == Pass::forward)
            sums[at_y] += (inside ? images[at_x] : 0.0) * weights[at_weight];
          else if (pass == Pass::filter)
            sums[at_weight] += outputs[at_y] * (inside ? images[at_x] : 0.0);
          else if (inside)
            sums[at_x] += outputs[at_y] * weights[at_weight];
        }
    });
  for_places(result, [&](const Place& place) {
    const int64_t from = at(result, place);
    write_number(const_cast<void*>(to), result.format, from, sums[static_cast<size_t>(from)]);
  });
}

}  // namespace fake
