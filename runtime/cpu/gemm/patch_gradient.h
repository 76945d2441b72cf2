// Gradients of filters over few channels. oneDNN computes 8 channels at a time even if there are
// fewer; products with patches of the input do not.
#pragma once

#include "runtime/cpu/dnnl/plugin.h"

namespace tide {

/// Whether the convolution has so few channels that this is faster than DnnlPlugin.
bool patch_gradient_suits(const ConvolutionShape& shape);

/// dw from dy and the input, like DnnlPlugin::backward_weight. Bits depend on the shape alone.
void patch_gradient(const ConvolutionShape& shape, const float* dy, const float* input, float* dw,
                    Parallel& parallel);

}  // namespace tide
