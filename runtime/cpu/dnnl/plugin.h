// What the oneDNN plugin exports. It is a separate library so that programs without compute ops do
// not load oneDNN (1 ms warm, 14 ms cold).
#pragma once

#include <cstdint>

#include "runtime/ir/compute_op.h"

namespace tide {

/// Sizes of a 2-d convolution: input (n, c, h, w), weight (o, c / groups, kh, kw), output (n, o,
/// oh, ow).
struct ConvolutionShape {
  int64_t n, c, h, w, o, oh, ow, kh, kw;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  /// Whether input and output are (n, h, w, c), and whether the weight is (o, kh, kw, c / groups).
  int64_t channels_last = 0, weight_channels_last = 0;

  friend bool operator==(const ConvolutionShape&, const ConvolutionShape&) = default;

  int64_t input_size() const { return c * h * w; }     ///< of one image
  int64_t output_size() const { return o * oh * ow; }  ///< of one image
  int64_t weight_size() const { return o * (c / groups) * kh * kw; }
  int64_t multiply_adds() const { return n * output_size() * (c / groups) * kh * kw; }
};

/// Convolutions of dense f32 arrays. Bits do not depend on the number of threads.
/// Sizes are at least 1. Thread-safe. Each returns null, or an error message that is valid until
/// the thread's next call.
struct DnnlPlugin {
  /// `bias` (o), `prepared` and `finishing` may be null.
  const char* (*forward)(const ConvolutionShape&, const float* input, const float* weight,
                         const float* prepared, const float* bias, float* output,
                         Finishing* finishing, Parallel&);
  /// The number of floats in a prepared weight, and what forward needs of a weight.
  int64_t (*prepared_size)(const ConvolutionShape&, bool has_bias);
  const char* (*prepare)(const ConvolutionShape&, bool has_bias, const float* weight,
                         float* prepared, Parallel&);
  const char* (*backward_input)(const ConvolutionShape&, const float* dy, const float* weight,
                                float* dx, Parallel&);
  const char* (*backward_weight)(const ConvolutionShape&, const float* dy, const float* input,
                                 float* dw, Parallel&);
};

/// The plugin, opened at the first call. Throws InternalError, with instructions, if it is missing.
const DnnlPlugin& dnnl_plugin();

}  // namespace tide
