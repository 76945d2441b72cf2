// Matrix products.
#include <string>

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launchers/int8_matmul.h"
#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/libraries/slow_path.h"

namespace tide::cuda {

bool launch_matmul(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1);
  const int rank = a.rank();
  const auto attributes = unpack<MatmulAttributes>(call.step.attributes);
  const bool has_bias = attributes.has_bias;
  MatmulArguments g{};
  g.a = call.input(0);
  g.b = call.input(1);
  g.c = call.output(0);
  g.bias = has_bias ? call.input(2) : nullptr;
  g.bias_stride = has_bias ? call.input_layout(2).strides[0] : 0;
  g.m = a.shape[rank - 2], g.k = a.shape[rank - 1], g.n = b.shape[rank - 1];
  g.a_row = a.strides[rank - 2], g.a_column = a.strides[rank - 1];
  g.b_row = b.strides[rank - 2], g.b_column = b.strides[rank - 1];
  g.c_row = g.n;
  g.batch = 1;
  g.leading_rank = rank - 2;
  for (int d = 0; d < rank - 2; ++d) {
    g.leading[d] = a.shape[d];
    g.a_leading[d] = a.strides[d];
    g.b_leading[d] = b.strides[d];
    g.batch *= a.shape[d];
  }
  if (g.m == 0 || g.n == 0 || g.batch == 0) return true;
  const DType type = call.step.inputs[0].type, result = call.step.outputs[0].type;
  const LibraryOutcome outcome =
      type == DType::i8 || type == DType::u8
          ? multiply_bytes(call, g, result)
          : call.kernels.blas().multiply(g, {type, type, result, attributes.tf32}, call.flushed());
  if (outcome.enqueued) return true;
  const double elements =
      static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n);
  warn_slow("a product " + std::to_string(g.m) + " x " + std::to_string(g.k) + " x " +
                std::to_string(g.n) + " of " + std::string(name_of(type)),
            2 * elements * static_cast<double>(g.k), outcome.refusal);
  if (!embedded_ptx("matmul")) return false;
  const auto tiles = [](int64_t size) { return (size + kMatmulTile - 1) / kMatmulTile; };
  const std::string types =
      suffix_of(type) + (type == result ? "" : std::string("_") + suffix_of(result));
  run(call, "matmul", "matmul_" + types, g, tiles(g.m) * tiles(g.n) * g.batch, kMatmulThreads);
  return true;
}

bool launch_scaled_matmul(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1);
  MatmulArguments g{};
  g.a = call.input(0);
  g.b = call.input(1);
  g.c = call.output(0);
  if (unpack<ScaledMatmulAttributes>(call.step.attributes).has_bias) {
    g.bias = call.input(4);
    g.bias_stride = call.input_layout(4).strides[0];
  }
  g.m = a.shape[0], g.k = a.shape[1], g.n = b.shape[1];
  g.a_row = a.strides[0], g.a_column = a.strides[1];
  g.b_row = b.strides[0], g.b_column = b.strides[1];
  g.c_row = g.n;
  g.batch = 1;
  if (g.m == 0 || g.n == 0) return true;
  const auto& inputs = call.step.inputs;
  return call.kernels.blas()
      .multiply(g,
                {.a = inputs[0].type,
                 .b = inputs[1].type,
                 .result = call.step.outputs[0].type,
                 .a_scale = call.input(2),
                 .b_scale = call.input(3)},
                call.flushed())
      .enqueued;
}

}  // namespace tide::cuda
