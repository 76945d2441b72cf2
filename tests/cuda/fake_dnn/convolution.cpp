// The convolutions of the stand-in for cuDNN, and what a plan is made of.
#include "tests/cuda/fake_dnn/convolution.h"

#include <vector>

namespace fake {
namespace {

int64_t place(const DnnArray& array, int64_t a, int64_t b, int64_t c, int64_t d) {
  return a * array.strides[0] + b * array.strides[1] + c * array.strides[2] + d * array.strides[3];
}

}  // namespace

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
  int64_t capacity = 1;
  for (size_t d = 0; d < 4; ++d) capacity += (result.sizes[d] - 1) * result.strides[d];
  std::vector<double> sums(static_cast<size_t>(capacity));
  const auto factor = [&](const void* data, const DnnArray& array, int64_t at) {
    const double value = read_number(data, array.format, at);
    return tf32 ? rounded_to_tf32(value) : value;
  };
  const int64_t channels = weight.sizes[1], outputs = y.sizes[1] / groups();
  for (int64_t n = 0; n < y.sizes[0]; ++n)
    for (int64_t o = 0; o < y.sizes[1]; ++o)
      for (int64_t i = 0; i < y.sizes[2]; ++i)
        for (int64_t j = 0; j < y.sizes[3]; ++j)
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t p = 0; p < weight.sizes[2]; ++p)
              for (int64_t q = 0; q < weight.sizes[3]; ++q) {
                const int64_t row = i * stride[0] - padding[0] + p * dilation[0];
                const int64_t column = j * stride[1] - padding[1] + q * dilation[1];
                const bool inside =
                    row >= 0 && row < x.sizes[2] && column >= 0 && column < x.sizes[3];
                if (!inside && pass == Pass::data) continue;
                // The padding's zeros count: times an infinity they are nan.
                const int64_t at_x =
                    inside ? place(x, n, o / outputs * channels + c, row, column) : 0;
                const double image = inside && pass != Pass::data ? factor(x_data, x, at_x) : 0.0;
                const int64_t at_weight = place(weight, o, c, p, q), at_y = place(y, n, o, i, j);
                if (pass == Pass::forward)
                  sums[static_cast<size_t>(at_y)] += image * factor(weight_data, weight, at_weight);
                else if (pass == Pass::data)
                  sums[static_cast<size_t>(at_x)] +=
                      factor(y_data, y, at_y) * factor(weight_data, weight, at_weight);
                else
                  sums[static_cast<size_t>(at_weight)] += factor(y_data, y, at_y) * image;
              }
  for (int64_t a = 0; a < result.sizes[0]; ++a)
    for (int64_t b = 0; b < result.sizes[1]; ++b)
      for (int64_t c = 0; c < result.sizes[2]; ++c)
        for (int64_t d = 0; d < result.sizes[3]; ++d) {
          const int64_t at = place(result, a, b, c, d);
          write_number(const_cast<void*>(to), result.format, at, sums[static_cast<size_t>(at)]);
        }
}

}  // namespace fake
