// The host's half of compute ops: arguments and launches.
#include "runtime/cuda/launch/compute_kernels.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launch/kernel_runs.h"
#include "runtime/cuda/libraries/int8_matmul.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/ir/pair_function.h"

namespace tide::cuda {

const char* suffix_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i64:
      return "i64";
    case DType::i32:
      return "i32";
    case DType::i16:
      return "i16";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
    case DType::boolean:
      return "bool";
  }
  return "";
}

namespace {

static_assert(kKernelDims >= kMaxDims);
static_assert(kScanBlock == tide::kScanBlock);

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
          : call.kernels.blas().multiply(g, type, result, attributes.tf32, call.flushed());
  if (outcome.enqueued) return true;
  if (!embedded_ptx("matmul")) return false;
  const auto tiles = [](int64_t size) { return (size + kMatmulTile - 1) / kMatmulTile; };
  const std::string types =
      suffix_of(type) + (type == result ? "" : std::string("_") + suffix_of(result));
  run(call, "matmul", "matmul_" + types, g, tiles(g.m) * tiles(g.n) * g.batch, kMatmulThreads);
  return true;
}

bool launch_attention(ComputeLaunch& call, bool backward) {
  const Layout &query = call.input_layout(0), &key = call.input_layout(1);
  const DType type = call.step.inputs[0].type;
  AttentionArguments g{};
  g.query = call.input(0), g.key = call.input(1), g.value = call.input(2);
  g.stacks = query.shape[0], g.heads = query.shape[1], g.rows = query.shape[2];
  g.keys = key.shape[2], g.features = query.shape[3];
  g.result = backward ? call.input(3) : call.output(0);
  g.logarithms = static_cast<float*>(backward ? call.input(5) : call.output(1));
  const auto attributes = unpack<AttentionAttributes>(call.step.attributes);
  g.scale = attributes.scale;
  g.causal = attributes.causal;
  if (backward) {
    g.slope = call.input(4);
    g.by_query = call.output(0), g.by_key = call.output(1), g.by_value = call.output(2);
  }
  const Layout result(query.shape), gradient(key.shape);
  for (int d = 0; d < 3; ++d) {
    g.query_strides[d] = query.strides[d];
    g.key_strides[d] = key.strides[d];
    g.value_strides[d] = call.input_layout(2).strides[d];
    g.result_strides[d] = result.strides[d];
    g.gradient_strides[d] = gradient.strides[d];
  }
  if (const size_t place = backward ? 6 : 3; call.step.inputs.size() > place) {
    g.mask = static_cast<const float*>(call.input(place));
    std::copy_n(call.input_layout(place).strides.begin(), 3, g.mask_strides);
  }
  Dnn& dnn = call.kernels.dnn();
  const LibraryOutcome outcome =
      backward ? dnn.attend_backward(g, type, call.flushed()) : dnn.attend(g, type, call.flushed());
  if (outcome.enqueued) return true;
  if (!embedded_ptx("attention") || g.features > kMostFeatures) return false;
  constexpr int64_t kWarps = kElementThreads / 32;
  const auto run_rows = [&](const char* kernel, int64_t rows) {
    const int64_t warps = g.stacks * g.heads * rows;
    run(call, "attention", std::string(kernel) + suffix_of(type), g, (warps + kWarps - 1) / kWarps,
        kElementThreads);
  };
  if (!backward) {
    run_rows("attention_", g.rows);
    return true;
  }
  run_rows("attention_backward_rows_", g.rows);
  run_rows("attention_backward_keys_", g.keys);
  return true;
}

ScanArguments scan_arguments(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  const int dim = unpack<DimAttributes>(call.step.attributes).dim;
  ScanArguments g{};
  g.x = call.input(0);
  g.y = call.output(0);
  g.outer = g.inner = 1;
  g.length = shape[dim];
  for (int d = 0; d < dim; ++d) g.outer *= shape[d];
  for (int d = dim + 1; d < shape.rank(); ++d) g.inner *= shape[d];
  return g;
}

/// What the kernels of a scan are called after: its types. Empty if there is none for them.
std::string scan_types(ComputeLaunch& call) {
  const DType from = call.step.inputs[0].type, to = call.step.outputs[0].type;
  if (from != to && to != DType::i64) return {};
  if (from == DType::boolean && to == from) return {};
  return suffix_of(from) + std::string(from != to ? "_i64" : "");
}

/// Room for what is carried from block to block, where a lane has more than one.
void reserve_carry(ComputeLaunch& call, ScanArguments& g, size_t bytes_of_block) {
  g.blocks = (g.length + kScanBlock - 1) / kScanBlock;
  if (g.blocks == 1) return;
  const auto blocks = static_cast<size_t>(g.outer * g.inner * g.blocks);
  g.sums = call.kernels.workspace().get(call.flushed(), blocks * bytes_of_block);
}

bool launch_running_sums(ComputeLaunch& call) {
  constexpr int64_t kMany = 64;  // blocks of a lane that one thread would take long for
  const std::string types = scan_types(call);
  if (types.empty()) return false;
  ScanArguments g = scan_arguments(call);
  const int64_t lanes = g.outer * g.inner;
  if (lanes * g.length == 0) return true;
  reserve_carry(call, g, sizeof(double));
  const bool rows = g.inner == 1;
  const int threads = rows ? kScanThreads : kElementThreads;
  const auto run_blocks = [&](const char* name, const char* name_of_rows) {
    run(call, "scan", (rows ? name_of_rows : name) + types, g,
        (lanes * g.blocks + threads - 1) / threads, threads);
  };
  if (g.blocks > 1) {
    run_blocks("sum_blocks_", "sum_rows_");
    const bool many = g.blocks >= kMany;
    run(call, "scan",
        std::string(many ? "add_many_blocks_" : "add_blocks_") +
            (is_floating(call.step.outputs[0].type) ? "floating" : "integer"),
        g, many ? lanes : blocks_for(lanes), kElementThreads);
  }
  run_blocks("cumsum_", "cumsum_rows_");
  return true;
}

bool launch_running_products(ComputeLaunch& call) {
  const std::string types = scan_types(call);
  if (types.empty()) return false;
  ScanArguments g = scan_arguments(call);
  run(call, "scan", "cumprod_" + types, g, g.length ? blocks_for(g.outer * g.inner) : 0,
      kElementThreads);
  return true;
}

bool launch_minmax(ComputeLaunch& call) {
  const std::string type = suffix_of(call.step.inputs[0].type);
  ScanArguments g = scan_arguments(call);
  g.positions = static_cast<int64_t*>(call.output(1));
  g.largest = unpack<MinmaxAttributes>(call.step.attributes).largest;
  const int64_t lanes = g.outer * g.inner;
  if (lanes * g.length == 0) return true;
  reserve_carry(call, g, 16);
  if (g.blocks > 1) {
    run(call, "scan", "block_minmax_" + type, g, blocks_for(lanes * g.blocks), kElementThreads);
    run(call, "scan", "pass_minmax_on_" + type, g, blocks_for(lanes), kElementThreads);
  }
  run(call, "scan", "cumulative_minmax_" + type, g, blocks_for(lanes * g.blocks), kElementThreads);
  return true;
}

/// The sizes (n, c, h, w) of an array of planes that lies so or channels last.
Shape planes_of(const Shape& shape, bool channels_last) {
  return channels_last ? as_planes(Layout(shape)).shape : shape;
}

/// `backward`: the result is of the input's size.
bool launch_pool(ComputeLaunch& call, const char* name, bool backward, bool largest) {
  // The attributes of both kinds of pooling begin, and end, alike.
  const auto a = unpack<MaxPoolAttributes>(call.step.attributes);
  const bool last = a.channels_last;
  const Shape given = planes_of(call.input_layout(0).shape, last);
  const Shape made = planes_of(call.output_shape(0), last);
  const Shape &input = backward ? made : given, &output = backward ? given : made;
  PoolArguments g{};
  g.x = call.input(0);
  g.y = call.output(0);
  if (largest && backward) g.chosen = static_cast<const int64_t*>(call.input(1));
  if (largest && !backward && call.step.outputs.size() > 1)
    g.positions = static_cast<int64_t*>(call.output(1));
  g.outer = last ? input[0] : input[0] * input[1];
  g.inner = last ? input[1] : 1;
  g.input_h = input[2], g.input_w = input[3], g.output_h = output[2], g.output_w = output[3];
  g.kernel_h = a.kernel[0], g.kernel_w = a.kernel[1];
  g.stride_h = a.stride[0], g.stride_w = a.stride[1];
  g.pad_h = a.padding[0], g.pad_w = a.padding[1];
  if (largest) {
    g.dilation_h = a.dilation[0], g.dilation_w = a.dilation[1];
  } else {
    const auto average = unpack<AvgPoolAttributes>(call.step.attributes);
    g.dilation_h = g.dilation_w = 1;
    g.count_pad = average.count_include_pad, g.divisor = average.divisor_override;
  }
  run(call, "pooling", std::string(name) + "_" + suffix_of(call.step.outputs[0].type), g,
      blocks_for(made.numel()), kElementThreads);
  return true;
}

/// By cuDNN, unless that does not take it.
bool convolve_by_library(ComputeLaunch& call, const ConvolutionArguments& g) {
  for (const int64_t size : {g.n, g.c, g.h, g.w, g.o, g.oh, g.ow, g.kh, g.kw})
    if (size == 0) return false;
  const bool tf32 = unpack<ConvolutionAttributes>(call.step.attributes).tf32;
  const DType type = call.step.outputs[0].type;
  return call.kernels.dnn().convolve(g, call.step.op, type, tf32, call.flushed()).enqueued;
}

ConvolutionArguments convolution_arguments(ComputeLaunch& call, const Shape& input,
                                           const Shape& weight, const Shape& output) {
  const auto a = unpack<ConvolutionAttributes>(call.step.attributes);
  ConvolutionArguments g{};
  g.x = call.input(0);
  g.weight = call.input(1);
  g.bias = a.has_bias ? call.input(2) : nullptr;
  g.y = call.output(0);
  g.n = input[0], g.c = input[1], g.h = input[2], g.w = input[3];
  g.o = weight[0], g.oh = output[2], g.ow = output[3], g.kh = weight[2], g.kw = weight[3];
  g.stride_h = a.stride[0], g.stride_w = a.stride[1];
  g.pad_h = a.padding[0], g.pad_w = a.padding[1];
  g.dilation_h = a.dilation[0], g.dilation_w = a.dilation[1];
  g.groups = a.groups;
  g.channels_last = a.channels_last;
  return g;
}

bool launch_convolution(ComputeLaunch& call) {
  const bool last = unpack<ConvolutionAttributes>(call.step.attributes).channels_last;
  const Shape first = planes_of(call.input_layout(0).shape, last);
  const Shape second = planes_of(call.input_layout(1).shape, last);
  const Shape result = planes_of(call.output_shape(0), last);
  const ComputeOp op = call.step.op;
  const bool onto_weight = op == ComputeOp::conv2d_backward_weight;
  ConvolutionArguments g =
      op == ComputeOp::conv2d                  ? convolution_arguments(call, first, second, result)
      : op == ComputeOp::conv2d_backward_input ? convolution_arguments(call, result, second, first)
                                               : convolution_arguments(call, second, result, first);
  if (convolve_by_library(call, g)) return true;
  if (!embedded_ptx("convolution")) return false;
  const char* name = op == ComputeOp::conv2d                  ? "conv2d_"
                     : op == ComputeOp::conv2d_backward_input ? "conv2d_backward_input_"
                                                              : "conv2d_backward_weight_";
  run(call, "convolution", std::string(name) + suffix_of(call.step.outputs[0].type), g,
      onto_weight ? result.numel() : blocks_for(result.numel()),
      onto_weight ? kWeightThreads : kElementThreads);
  return true;
}

const char* name_of(PairFunction function) {
  switch (function) {
    case PairFunction::gcd:
      return "gcd_";
    case PairFunction::lcm:
      return "lcm_";
    case PairFunction::igamma:
      return "igamma_";
    case PairFunction::igammac:
      return "igammac_";
    case PairFunction::nextafter:
      return "nextafter_";
  }
  return "";
}

bool launch_pairs(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1);
  PairArguments g{};
  g.a = call.input(0);
  g.b = call.input(1);
  g.out = call.output(0);
  g.count = a.shape.numel();
  g.rank = a.rank();
  for (int d = 0; d < g.rank; ++d) {
    g.shape[d] = a.shape[d];
    g.a_strides[d] = a.strides[d];
    g.b_strides[d] = b.strides[d];
  }
  const PairFunction function = unpack<PairAttributes>(call.step.attributes).function;
  run(call, "pairs", std::string(name_of(function)) + suffix_of(call.step.outputs[0].type), g,
      blocks_for(g.count), kElementThreads);
  return true;
}

bool launch_random_counts(ComputeLaunch& call) {
  const Layout &a = call.input_layout(0), &b = call.input_layout(1), &keys = call.input_layout(2);
  CountArguments g{};
  g.a = static_cast<const double*>(call.input(0));
  g.b = static_cast<const double*>(call.input(1));
  g.keys = static_cast<const int64_t*>(call.input(2));
  g.out = static_cast<double*>(call.output(0));
  g.distribution = static_cast<int64_t>(
      CountDistribution(unpack<RandomCountAttributes>(call.step.attributes).distribution));
  g.count = a.shape.numel();
  g.rank = a.rank();
  for (int d = 0; d < g.rank; ++d) {
    g.shape[d] = a.shape[d];
    g.a_strides[d] = a.strides[d];
    g.b_strides[d] = b.strides[d];
    g.key_strides[d] = keys.strides[d];
  }
  run(call, "random", "random_count", g, blocks_for(g.count), kElementThreads);
  return true;
}

bool launch_require(ComputeLaunch& call) {
  const Layout& x = call.input_layout(0);
  RequireArguments g{};
  g.x = call.input(0);
  g.out = call.output(0);
  g.count = x.shape.numel();
  if (x.is_dense()) {
    g.rank = 1;
    g.shape[0] = g.count;
    g.strides[0] = 1;
  } else {
    g.rank = x.rank();
    for (int d = 0; d < g.rank; ++d) g.shape[d] = x.shape[d], g.strides[d] = x.strides[d];
  }
  const Requirement requirement = unpack<RequireAttributes>(call.step.attributes).requirement;
  const Reports::Place place =
      call.reports.open([requirement](int64_t) { return unmet(requirement); });
  call.report = place.number;
  g.report = place.report;
  run(call, "require", "require_" + std::to_string(size_of(call.step.inputs[0].type)), g,
      blocks_for(g.count), kElementThreads);
  return true;
}

bool is_convolution(ComputeOp op) {
  return op == ComputeOp::conv2d || op == ComputeOp::conv2d_backward_input ||
         op == ComputeOp::conv2d_backward_weight;
}

}  // namespace

bool launch_compute(ComputeLaunch& call) {
  if (call.step.op == ComputeOp::matmul) return launch_matmul(call);
  if (is_convolution(call.step.op)) return launch_convolution(call);
  if (call.step.op == ComputeOp::attention) return launch_attention(call, false);
  if (call.step.op == ComputeOp::attention_backward) return launch_attention(call, true);
  if (!embedded_ptx("pooling")) return false;
  switch (call.step.op) {
    case ComputeOp::max_pool2d:
      return launch_pool(call, "max_pool2d", false, true);
    case ComputeOp::max_pool2d_backward:
      return launch_pool(call, "max_pool2d_backward", true, true);
    case ComputeOp::avg_pool2d:
      return launch_pool(call, "avg_pool2d", false, false);
    case ComputeOp::avg_pool2d_backward:
      return launch_pool(call, "avg_pool2d_backward", true, false);
    case ComputeOp::sort:
    case ComputeOp::nonzero:
    case ComputeOp::gather:
    case ComputeOp::embedding_bag:
    case ComputeOp::scatter:
      return launch_indexing(call);
    case ComputeOp::cumsum:
      return launch_running_sums(call);
    case ComputeOp::cumprod:
      return launch_running_products(call);
    case ComputeOp::cumulative_minmax:
      return launch_minmax(call);
    case ComputeOp::pair_function:
      return launch_pairs(call);
    case ComputeOp::random_count:
      return launch_random_counts(call);
    case ComputeOp::require:
      return launch_require(call);
    case ComputeOp::lu:
    case ComputeOp::lu_solve:
    case ComputeOp::pivot_rows:
    case ComputeOp::solve_triangular:
    case ComputeOp::cholesky:
    case ComputeOp::qr:
    case ComputeOp::eigh:
    case ComputeOp::svd:
      return launch_linalg(call);
    default:
      return false;
  }
}

}  // namespace tide::cuda
