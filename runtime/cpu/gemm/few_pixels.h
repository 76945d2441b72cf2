// Convolutions with few pixels in the result, as matrix products of their patches. Other routines
// divide the images or their rows among threads, each with all of a weight that is larger than
// they are.
#pragma once

#include "runtime/cpu/dnnl/plugin.h"

namespace tide {

/// Whether these are faster than DnnlPlugin. Bits depend on the shape alone.
bool few_pixels_suit_forward(const ConvolutionShape& shape);
bool few_pixels_suit_backward(const ConvolutionShape& shape);

/// The convolution and its gradients, as in DnnlPlugin, but for any weight: zeros of the padding
/// are multiplied, too.
void few_pixels_forward(const ConvolutionShape& shape, const float* input, const float* weight,
                        const float* bias, float* output, Parallel& parallel);
void few_pixels_backward_input(const ConvolutionShape& shape, const float* dy, const float* weight,
                               float* dx, Parallel& parallel);
void few_pixels_backward_weight(const ConvolutionShape& shape, const float* dy, const float* input,
                                float* dw, Parallel& parallel);

}  // namespace tide
