// Sorts rows on the device, also as a part of other ops.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {

/// The bits of a type's sort keys that distinguish its values.
struct KeyBits {
  int first, end;
};
inline KeyBits key_bits(DType type) {
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

  size_t bytes() const { return 2 * entries_bytes() + offsets_bytes(); }

  /// The sorted entries are in the result's `sorted`. `memory`: aligned, of bytes().
  SortArguments run(const void* x, bool descending, char* memory) {
    g_.x = x;
    g_.descending = descending;
    g_.sorted = memory;
    g_.merged = memory + entries_bytes();
    g_.offsets = reinterpret_cast<uint32_t*>(memory + 2 * entries_bytes());
    if (by_digits())
      move_by_digits();
    else
      merge();
    return g_;
  }

 private:
  /// Below this number of elements, launches take longer than the work.
  static constexpr int64_t kLeastForDigits = int64_t{1} << 18;

  bool is_wide() const { return size_of(type_) == 8; }
  int64_t digits() const { return (bits_.end - bits_.first + kDigitBits - 1) / kDigitBits; }
  /// Merging passes over all entries once per doubling of the runs.
  bool by_digits() const {
    return g_.rows * g_.length >= kLeastForDigits && kSortTile << digits() <= g_.length;
  }

  size_t entries_bytes() const {
    return static_cast<size_t>(g_.rows * g_.length) * (is_wide() ? 16 : 8);
  }
  size_t offsets_bytes() const {
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

  /// Only as many chunks as keep the device busy, because one block adds up the digit counts of all
  /// chunks of a row.
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

}  // namespace tide::cuda
