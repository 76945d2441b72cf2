// Gather and scatter by index.
#include <array>
#include <string>
#include <utility>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/launchers/sorting.h"
#include "runtime/ir/bag_mode.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {
namespace {

/// The arguments that depend on the index, which is input `input`. Positions may be 1 to `limit`.
IndexArguments index_arguments(ComputeLaunch& call, size_t input, int64_t limit) {
  const Layout& index = call.input_layout(input);
  IndexArguments g{};
  g.index = call.input(input);
  g.out = call.output(0);
  g.rank = index.rank();
  for (int d = 0; d < index.rank(); ++d) {
    g.shape[d] = index.shape[d];
    g.index_strides[d] = index.strides[d];
  }
  g.limit = limit;
  g.first_wrong = call.kernels.first_wrong(call.stream);
  return g;
}

/// Reports the invalid positions that the kernels before have found.
void report_positions(ComputeLaunch& call, IndexArguments& g) {
  const Reports::Slot slot = call.reports.open(
      [limit = g.limit](int64_t position) { return wrong_position(position, limit); });
  call.report = slot.number;
  g.report = slot.report;
  run(call, "indexing", "report_positions", g, 1, 1);
}

/// The dimensions of `g`, without those of size 1, in the order for scatter.
ScatterArguments in_order(const IndexArguments& g) {
  ScatterArguments s{};
  s.in_order = g;
  s.in_order.rank = 0;
  s.rows = s.length = s.repeats = 1;
  std::array<int64_t, kKernelDims> linear_strides{};
  int64_t points = 1;
  for (int d = g.rank - 1; d >= 0; --d) {
    linear_strides[d] = points;
    points *= g.shape[d];
  }
  const auto take = [&](int d) {
    const int to = s.in_order.rank++;
    s.in_order.shape[to] = g.shape[d];
    s.in_order.index_strides[to] = g.index_strides[d];
    s.in_order.source_strides[to] = g.source_strides[d];
    s.in_order.out_strides[to] = g.out_strides[d];
    s.linear_strides[to] = linear_strides[d];
    return g.shape[d];
  };
  const auto distinguishes_rows = [&](int d) { return g.index_strides[d] != 0; };
  for (int d = 0; d < g.rank; ++d)
    if (d != g.dim && g.shape[d] != 1 && distinguishes_rows(d)) s.rows *= take(d);
  s.in_order.dim = s.in_order.rank;
  s.length = take(g.dim);
  s.out_along = std::exchange(s.in_order.out_strides[s.in_order.dim], 0);
  for (int d = 0; d < g.rank; ++d)
    if (d != g.dim && g.shape[d] != 1 && !distinguishes_rows(d)) s.repeats *= take(d);
  return s;
}

/// Sorts positions that may be equal before scattering.
void scatter_meeting(ComputeLaunch& call, ScatterArguments& s, const std::string& kernel) {
  const int64_t count = s.rows * s.length;
  Sorting sorting(call, DType::i32, s.rows, s.length);
  auto* const memory = static_cast<char*>(call.kernels.workspace().get(
      call.flushed(), sorting.bytes() + static_cast<size_t>(count) * sizeof(int32_t)));
  s.positions = reinterpret_cast<int32_t*>(memory + sorting.bytes());
  run(call, "indexing", "collect_positions", s, blocks_for(count), kElementThreads);
  s.sorted = static_cast<const unsigned long long*>(sorting.run(s.positions, false, memory).sorted);
  run(call, "indexing", kernel, s, blocks_for(count * s.repeats), kElementThreads);
}

bool launch_gather(ComputeLaunch& call) {
  const Layout& x = call.input_layout(0);
  const int dim = unpack<DimAttributes>(call.step.attributes).dim;
  IndexArguments g = index_arguments(call, 1, x.shape[dim]);
  g.dim = dim;
  g.x = call.input(0);
  g.count = call.output_shape(0).numel();
  if (g.count == 0) return true;
  for (int d = 0; d < x.rank(); ++d) g.x_strides[d] = x.strides[d];
  run(call, "indexing", "gather_" + std::to_string(size_of(call.step.outputs[0].type)), g,
      blocks_for(g.count), kElementThreads);
  report_positions(call, g);
  return true;
}

bool launch_bags(ComputeLaunch& call) {
  BagArguments b{};
  b.rows = index_arguments(call, 1, call.input_layout(0).shape[0]);
  b.rows.x = call.input(0);
  b.rows.count = call.output_shape(0).numel();
  if (b.rows.count == 0) return true;
  b.starts = static_cast<const int64_t*>(call.input(2));
  const auto attributes = unpack<EmbeddingBagAttributes>(call.step.attributes);
  const BagMode mode = attributes.mode;
  if (call.step.inputs.size() > 3) b.rows.source = call.input(3);
  if (mode == BagMode::max) b.chosen = static_cast<int64_t*>(call.output(1));
  b.columns = call.output_shape(0)[1];
  b.padding = attributes.padding_row;
  b.mean = mode == BagMode::mean;
  run(call, "indexing", std::string("embedding_bag_") + suffix_of(call.step.outputs[0].type), b,
      blocks_for(b.rows.count), kElementThreads);
  report_positions(call, b.rows);
  return true;
}

bool launch_scatter(ComputeLaunch& call) {
  const DType type = call.step.outputs[0].type;
  const auto [dim, add] = unpack<ScatterAttributes>(call.step.attributes);
  const Layout out(call.output_shape(0));
  IndexArguments g = index_arguments(call, 1, out.shape[dim]);
  g.dim = dim;
  if (g.limit >= kWrongPosition || g.shape[g.dim] > UINT32_MAX) return false;
  for (int d = 0; d < out.rank(); ++d) {
    g.out_strides[d] = out.strides[d];
    g.source_strides[d] = call.input_layout(2).strides[d];
  }
  g.source = call.input(2);
  g.count = call.input_layout(1).shape.numel();

  const auto to = reinterpret_cast<DevicePointer>(call.output(0));
  const auto base = reinterpret_cast<DevicePointer>(call.input(0));
  const auto bytes = static_cast<size_t>(out.shape.numel()) * size_of(type);
  if (bytes && to != base)
    check(driver().copy_within(to, base, bytes, call.flushed()), "cuMemcpyDtoDAsync");
  if (g.count == 0) return true;
  ScatterArguments s = in_order(g);
  const bool apart = s.length == 1 || (add && (type == DType::i64 || type == DType::i32));
  const std::string kernel = std::string(add ? "add_" : "write_") +
                             (apart ? "apart_" : "meeting_") +
                             (add ? suffix_of(type) : std::to_string(size_of(type)));
  if (apart)
    run(call, "indexing", kernel, s, blocks_for(g.count), kElementThreads);
  else
    scatter_meeting(call, s, kernel);
  report_positions(call, g);
  return true;
}

}  // namespace

bool launch_position_check(ComputeLaunch& call) {
  IndexArguments g =
      index_arguments(call, 0, unpack<RequireAttributes>(call.step.attributes).limit);
  g.count = call.input_layout(0).shape.numel();
  run(call, "indexing", "check_positions", g, blocks_for(g.count), kElementThreads);
  report_positions(call, g);
  return true;
}

bool launch_indexing(ComputeLaunch& call) {
  if (call.step.op == ComputeOp::gather) return launch_gather(call);
  if (call.step.op == ComputeOp::embedding_bag) return launch_bags(call);
  return launch_scatter(call);
}

}  // namespace tide::cuda
