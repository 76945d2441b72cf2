// Convolutions with 3 x 3 filters in a quarter of the multiplications: Winograd's F(4 x 4, 3 x 3).
//
// Each tile of 4 x 4 outputs is computed from 6 x 6 inputs. Inputs, filters and outputs are treated
// as values of polynomials at 6 x 6 points, where the sum over channels is one matrix product for
// each point:
//   output = A^T [ (G filter G^T) * (B^T input B) ] A,
// and the gradient of the filter = G^T [ (B^T input B) * (A dy A^T) ] G, summed over tiles. (Lavin
// and Gray, Fast algorithms for convolutional neural networks, 2015.)
//
// The points are 0, +-5/8, +-3/2 and infinity: rounding errors are half of those at the usual 0,
// +-1, +-2. A nan or infinity among the inputs of a tile reaches all of its outputs.
#pragma once

#include <cstdint>

#include "runtime/cpu/dnnl/plugin.h"

namespace tide {

/// Points along one dimension, and in a tile.
constexpr int kWinogradSide = 6, kWinogradPoints = 36;
/// Outputs of a tile along one dimension.
constexpr int kWinogradTile = 4;

/// A row of tiles over some planes of one image. Outside of their bounds, planes are zero.
struct WinogradStrip {
  int64_t height, width;                 ///< of a plane
  int64_t pixel_stride, channel_stride;  ///< between neighbours of a row, and between planes
  int64_t top, left;                     ///< where the first tile begins; may be outside
  int64_t tiles;
};

/// Values at points: those of point p and tile t, one for each channel, start at
/// data[p * point_stride + t * tile_stride].
template <class T>
struct WinogradValues {
  T* data;
  int64_t point_stride, tile_stride;
};

/// Elements between filters of neighbouring lanes, and between the 9 elements of a filter.
struct WinogradFilterStrides {
  int64_t lane, tap;
};

/// The transforms for one instruction set, each for `lanes` neighbouring channels.
struct WinogradKernel {
  int lanes;
  /// Floats of workspace that a strip needs.
  static int64_t workspace_size(int64_t tiles, int lanes) {
    return kWinogradSide * (kWinogradTile * tiles + 2) * lanes;
  }
  /// B^T x B of the 6 x 6 inputs of each tile; tiles are 4 apart.
  void (*input)(const WinogradStrip&, const float* planes, WinogradValues<float> to,
                float* workspace);
  /// A x A^T of each tile of 4 x 4.
  void (*spread)(const WinogradStrip&, const float* planes, WinogradValues<float> to,
                 float* workspace);
  /// A^T x A of the values of each tile, plus a bias for each channel (null: none).
  void (*output)(const WinogradStrip&, WinogradValues<const float> from, const float* bias,
                 float* planes, float* workspace);
  /// G x G^T of the filters of one channel. A flipped filter is read backwards.
  void (*filter)(const float* filters, WinogradFilterStrides strides, bool flipped, float* to,
                 int64_t point_stride);
  /// G^T x G: 3 x 3 from the sums at points.
  void (*filter_gradient)(const float* from, int64_t point_stride, float* filters,
                          WinogradFilterStrides strides);
};

/// The kernels of each instruction set; calling one requires a processor that supports it.
extern const WinogradKernel kWinogradBaseline, kWinogradAvx2, kWinogradAvx512;

/// Whether this algorithm supports the convolution and is fast for its size, for each pass. Bits
/// depend on the shape alone.
bool winograd_suits_forward(const ConvolutionShape& shape);
bool winograd_suits_backward_input(const ConvolutionShape& shape);
bool winograd_suits_backward_weight(const ConvolutionShape& shape);

/// The convolution and its gradients, as in DnnlPlugin.
void winograd_forward(const ConvolutionShape& shape, const float* input, const float* weight,
                      const float* prepared, const float* bias, float* output, Finishing* finishing,
                      Parallel& parallel);
int64_t winograd_prepared_size(const ConvolutionShape& shape);
void winograd_prepare(const ConvolutionShape& shape, const float* weight, float* prepared,
                      Parallel& parallel);
void winograd_backward_input(const ConvolutionShape& shape, const float* dy, const float* weight,
                             float* dx, Parallel& parallel);
void winograd_backward_weight(const ConvolutionShape& shape, const float* dy, const float* input,
                              float* dw, Parallel& parallel);

}  // namespace tide
