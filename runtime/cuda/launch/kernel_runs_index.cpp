// The host's half of sorting, choosing, gathering and scattering.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "runtime/cuda/launch/kernel_runs.h"
#include "runtime/ir/bag_mode.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {
namespace {

/// The bits of a type's sort keys that tell its values apart.
struct KeyBits {
  int first, end;
};
KeyBits key_bits(DType type) {
  switch (type) {
    case DType::f16:  // as f32: sign, exponent and the 10 highest bits of the fraction
      return {13, 32};
    case DType::bf16:
      return {16, 32};
    default:
      return {0, static_cast<int>(8 * size_of(type))};
  }
}

/// How rows are sorted, and what memory that takes.
class Sorting {
 public:
  Sorting(ComputeLaunch& call, DType type, int64_t rows, int64_t length)
      : call_(call), type_(type), bits_(key_bits(type)) {
    g_.rows = rows;
    g_.length = length;
    g_.tile = static_cast<int32_t>(
        std::min<uint64_t>(kSortTile, std::bit_ceil(static_cast<uint64_t>(length))));
    if (by_digits()) cut_into_chunks();
  }

  size_t bytes() const { return 2 * entries_bytes() + places_bytes(); }

  /// The entries are in the result's `sorted` then. `memory`: aligned, of bytes().
  SortArguments run(const void* x, bool descending, char* memory) {
    g_.x = x;
    g_.descending = descending;
    g_.sorted = memory;
    g_.merged = memory + entries_bytes();
    g_.places = reinterpret_cast<uint32_t*>(memory + 2 * entries_bytes());
    if (by_digits())
      move_by_digits();
    else
      merge();
    return g_;
  }

 private:
  /// Below so many elements, launches take longer than the work between them.
  static constexpr int64_t kLeastForDigits = int64_t{1} << 18;

  bool is_wide() const { return size_of(type_) == 8; }
  int64_t digits() const { return (bits_.end - bits_.first + kDigitBits - 1) / kDigitBits; }
  /// Merging goes over all entries as often as runs must be doubled.
  bool by_digits() const {
    return g_.rows * g_.length >= kLeastForDigits && kSortTile << digits() <= g_.length;
  }

  size_t entries_bytes() const {
    return static_cast<size_t>(g_.rows * g_.length) * (is_wide() ? 16 : 8);
  }
  size_t places_bytes() const {
    return static_cast<size_t>(g_.rows * g_.chunks) * kDigits * sizeof(uint32_t);
  }

  void run_kernel(const std::string& name, int64_t blocks, int threads) {
    cuda::run(call_, "sort", name, g_, blocks, threads);
  }

  void merge() {
    const int64_t tiles = g_.rows * ((g_.length + g_.tile - 1) / g_.tile);
    const int64_t at_once = kSortTile / g_.tile;
    run_kernel(std::string("sort_tiles_") + suffix_of(type_), (tiles + at_once - 1) / at_once,
               kElementThreads);
    for (g_.run = g_.tile; g_.run < g_.length; g_.run *= 2) {
      run_kernel(is_wide() ? "merge_runs_wide" : "merge_runs_packed",
                 blocks_for(g_.rows * g_.length), kElementThreads);
      std::swap(g_.sorted, g_.merged);
    }
  }

  /// As many as keep the card busy: a block adds up the digits of all chunks of a row.
  void cut_into_chunks() {
    constexpr int64_t kBlocksAtOnce = 4;  // on a multiprocessor
    const int64_t tiles = (g_.length + kDigitTile - 1) / kDigitTile;
    const int64_t wanted =
        std::max<int64_t>(call_.kernels.loaded().multiprocessors() * kBlocksAtOnce / g_.rows, 1);
    g_.chunk = (tiles + wanted - 1) / wanted * kDigitTile;
    g_.chunks = static_cast<int32_t>((g_.length + g_.chunk - 1) / g_.chunk);
  }

  void move_by_digits() {
    const std::string entries = is_wide() ? "wide" : "packed";
    run_kernel(std::string("collect_entries_") + suffix_of(type_), blocks_for(g_.rows * g_.length),
               kElementThreads);
    for (g_.bit = bits_.first; g_.bit < bits_.end; g_.bit += kDigitBits) {
      run_kernel("count_digits_" + entries, g_.rows * g_.chunks, kDigitThreads);
      run_kernel("place_digits", g_.rows, kDigitThreads);
      run_kernel("move_by_digit_" + entries, g_.rows * g_.chunks, kDigitThreads);
      std::swap(g_.sorted, g_.merged);
    }
  }

  ComputeLaunch& call_;
  const DType type_;
  const KeyBits bits_;
  SortArguments g_{};
};

/// What gathering and scattering have alike. Positions may be 1 to `limit`.
IndexArguments index_arguments(ComputeLaunch& call, int64_t limit) {
  const Layout& index = call.input_layout(1);
  IndexArguments g{};
  g.index = call.input(1);
  g.out = call.output(0);
  g.rank = index.rank();
  g.dim = unpack<DimAttributes>(call.step.attributes).dim;
  for (int d = 0; d < index.rank(); ++d) {
    g.shape[d] = index.shape[d];
    g.index_strides[d] = index.strides[d];
  }
  g.limit = limit;
  g.first_wrong = call.kernels.first_wrong(call.stream);
  return g;
}

/// Has what the kernels before have found of positions reported.
void report_positions(ComputeLaunch& call, IndexArguments& g) {
  const Reports::Place place = call.reports.open(
      [limit = g.limit](int64_t position) { return wrong_position(position, limit); });
  call.report = place.number;
  g.report = place.report;
  run(call, "indexing", "report_positions", g, 1, 1);
}

/// The dimensions of `g`, without those of one point, in the order that scattering wants.
ScatterArguments in_order(const IndexArguments& g) {
  ScatterArguments s{};
  s.in_order = g;
  s.in_order.rank = 0;
  s.rows = s.length = s.lanes = 1;
  std::array<int64_t, kKernelDims> place_strides{};
  int64_t points = 1;
  for (int d = g.rank - 1; d >= 0; --d) {
    place_strides[d] = points;
    points *= g.shape[d];
  }
  const auto take = [&](int d) {
    const int to = s.in_order.rank++;
    s.in_order.shape[to] = g.shape[d];
    s.in_order.index_strides[to] = g.index_strides[d];
    s.in_order.source_strides[to] = g.source_strides[d];
    s.in_order.out_strides[to] = g.out_strides[d];
    s.place_strides[to] = place_strides[d];
    return g.shape[d];
  };
  const auto tells_rows_apart = [&](int d) { return g.index_strides[d] != 0; };
  for (int d = 0; d < g.rank; ++d)
    if (d != g.dim && g.shape[d] != 1 && tells_rows_apart(d)) s.rows *= take(d);
  s.in_order.dim = s.in_order.rank;
  s.length = take(g.dim);
  s.out_along = std::exchange(s.in_order.out_strides[s.in_order.dim], 0);
  for (int d = 0; d < g.rank; ++d)
    if (d != g.dim && g.shape[d] != 1 && !tells_rows_apart(d)) s.lanes *= take(d);
  return s;
}

/// Positions that may be equal are sorted first.
void scatter_meeting(ComputeLaunch& call, ScatterArguments& s, const std::string& kernel) {
  const int64_t count = s.rows * s.length;
  Sorting sorting(call, DType::i32, s.rows, s.length);
  auto* const memory = static_cast<char*>(call.kernels.workspace().get(
      call.flushed(), sorting.bytes() + static_cast<size_t>(count) * sizeof(int32_t)));
  s.positions = reinterpret_cast<int32_t*>(memory + sorting.bytes());
  run(call, "indexing", "collect_positions", s, blocks_for(count), kElementThreads);
  s.sorted = static_cast<const unsigned long long*>(sorting.run(s.positions, false, memory).sorted);
  run(call, "indexing", kernel, s, blocks_for(count * s.lanes), kElementThreads);
}

bool launch_sort(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  const DType type = call.step.inputs[0].type;
  const int64_t length = shape.rank() ? shape[shape.rank() - 1] : 1;
  const int64_t results = call.output_shape(0).numel();
  if (results == 0) return true;
  if (length > UINT32_MAX) return false;  // positions have 32 bits beside keys of 32
  Sorting sorting(call, type, shape.numel() / length, length);
  auto* const memory =
      static_cast<char*>(call.kernels.workspace().get(call.flushed(), sorting.bytes()));
  SortArguments g =
      sorting.run(call.input(0), unpack<SortAttributes>(call.step.attributes).descending, memory);
  g.values = call.output(0);
  g.positions = static_cast<int64_t*>(call.output(1));
  g.kept = results / g.rows;
  run(call, "sort", std::string("write_sorted_") + suffix_of(type), g, blocks_for(results),
      kElementThreads);
  return true;
}

bool launch_nonzero(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  NonzeroArguments g{};
  g.mask = static_cast<const uint8_t*>(call.input(0));
  g.positions = static_cast<int64_t*>(call.output(0));
  g.count = shape.numel();
  g.tiles = (g.count + kNonzeroTile - 1) / kNonzeroTile;
  g.found = call.output_shape(0)[0];
  g.rank = shape.rank();
  for (int d = 0; d < shape.rank(); ++d) g.shape[d] = shape[d];
  g.starts = static_cast<int64_t*>(
      call.kernels.workspace().get(call.flushed(), static_cast<size_t>(g.tiles) * sizeof(int64_t)));
  run(call, "nonzero", "count_nonzero", g, g.tiles, kNonzeroThreads);
  run(call, "nonzero", "add_counts", g, 1, kNonzeroThreads);
  run(call, "nonzero", "write_nonzero", g, g.tiles, kNonzeroThreads);
  return true;
}

bool launch_gather(ComputeLaunch& call) {
  const Layout& x = call.input_layout(0);
  IndexArguments g =
      index_arguments(call, x.shape[unpack<DimAttributes>(call.step.attributes).dim]);
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
  b.rows = index_arguments(call, call.input_layout(0).shape[0]);
  b.rows.dim = 0;
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
  IndexArguments g = index_arguments(call, out.shape[dim]);
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

bool launch_indexing(ComputeLaunch& call) {
  switch (call.step.op) {
    case ComputeOp::sort:
      return launch_sort(call);
    case ComputeOp::nonzero:
      return launch_nonzero(call);
    case ComputeOp::gather:
      return launch_gather(call);
    case ComputeOp::embedding_bag:
      return launch_bags(call);
    case ComputeOp::scatter:
      return launch_scatter(call);
    default:
      return false;
  }
}

}  // namespace tide::cuda
