// Running sums, products, minima and maxima.
#include <string>

#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {
namespace {

static_assert(kScanBlock == tide::kScanBlock);

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

/// The suffix of a scan's kernel names, by its types. Empty if there is no kernel for them.
std::string scan_types(ComputeLaunch& call) {
  const DType from = call.step.inputs[0].type, to = call.step.outputs[0].type;
  if (from != to && to != DType::i64) return {};
  if (from == DType::boolean && to == from) return {};
  return suffix_of(from) + std::string(from != to ? "_i64" : "");
}

/// Reserves workspace for the values carried from block to block, if a fiber has more than one.
void reserve_carry(ComputeLaunch& call, ScanArguments& g, size_t bytes_of_block) {
  g.blocks = (g.length + kScanBlock - 1) / kScanBlock;
  if (g.blocks == 1) return;
  const auto blocks = static_cast<size_t>(g.outer * g.inner * g.blocks);
  g.sums = call.kernels.workspace().get(call.flushed(), blocks * bytes_of_block);
}

bool launch_running_sums(ComputeLaunch& call) {
  constexpr int64_t kMany = 64;  // blocks of a fiber that are slow for one thread
  const std::string types = scan_types(call);
  if (types.empty()) return false;
  ScanArguments g = scan_arguments(call);
  const int64_t fibers = g.outer * g.inner;
  if (fibers * g.length == 0) return true;
  reserve_carry(call, g, sizeof(double));
  const bool rows = g.inner == 1;
  const int threads = rows ? kScanThreads : kElementThreads;
  const auto run_blocks = [&](const char* name, const char* name_of_rows) {
    run(call, "scan", (rows ? name_of_rows : name) + types, g,
        (fibers * g.blocks + threads - 1) / threads, threads);
  };
  if (g.blocks > 1) {
    run_blocks("sum_blocks_", "sum_rows_");
    const bool many = g.blocks >= kMany;
    run(call, "scan",
        std::string(many ? "add_many_blocks_" : "add_blocks_") +
            (is_floating(call.step.outputs[0].type) ? "floating" : "integer"),
        g, many ? fibers : blocks_for(fibers), kElementThreads);
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
  const int64_t fibers = g.outer * g.inner;
  if (fibers * g.length == 0) return true;
  reserve_carry(call, g, 16);
  if (g.blocks > 1) {
    run(call, "scan", "block_minmax_" + type, g, blocks_for(fibers * g.blocks), kElementThreads);
    run(call, "scan", "pass_minmax_on_" + type, g, blocks_for(fibers), kElementThreads);
  }
  run(call, "scan", "cumulative_minmax_" + type, g, blocks_for(fibers * g.blocks), kElementThreads);
  return true;
}

}  // namespace

bool launch_scan(ComputeLaunch& call) {
  if (call.step.op == ComputeOp::cumsum) return launch_running_sums(call);
  if (call.step.op == ComputeOp::cumprod) return launch_running_products(call);
  return launch_minmax(call);
}

}  // namespace tide::cuda
