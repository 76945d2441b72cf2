// Embedding bags: rows of a table, combined for each bag.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/range_check.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"
#include "runtime/ir/bag_mode.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 16384;
/// Prefetch distance in rows, which are anywhere in memory.
constexpr int64_t kAhead = 8;

/// Rows that are added together.
constexpr int kRows = 32;

/// Adds `count` rows, one after the other, with the sums of some columns in registers.
template <class T>
void add_rows(Wide<T>* __restrict sums, const T* const* __restrict rows, int64_t count,
              int64_t columns) {
  int64_t i = 0;
  if constexpr (std::is_same_v<T, Wide<T>>) {
    typedef T Block __attribute__((vector_size(64)));
    constexpr int64_t kColumns = 64 / sizeof(T);
    for (; i + kColumns <= columns; i += kColumns) {
      Block sum, part;
      std::memcpy(&sum, sums + i, sizeof sum);
      for (int64_t r = 0; r < count; ++r) {
        std::memcpy(&part, rows[r] + i, sizeof part);
        sum += part;
      }
      std::memcpy(sums + i, &sum, sizeof sum);
    }
  }
  for (int64_t r = 0; r < count; ++r)
    for (int64_t j = i; j < columns; ++j) sums[j] += static_cast<Wide<T>>(rows[r][j]);
}

template <class T>
void add_weighted(Wide<T>* __restrict sums, const T* __restrict row, int64_t count,
                  Wide<T> weight) {
  for (int64_t i = 0; i < count; ++i) {
    // Rounded to T, like the product of two tensors.
    sums[i] += static_cast<Wide<T>>(static_cast<T>(static_cast<Wide<T>>(row[i]) * weight));
  }
}

/// Where a row's elements exceed `values`, they and the row's `index` replace the previous ones.
/// The first of equal elements wins, and nan exceeds all others. Indices below 0: none so far.
template <class T>
void take_largest(const T* __restrict row, int64_t count, int32_t index, Wide<T>* __restrict values,
                  int32_t* __restrict indices) {
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<Wide<T>>(row[i]);
    const bool better =
        (indices[i] < 0) | (value > values[i]) | (is_nan(value) & !is_nan(values[i]));
    values[i] = better ? value : values[i];
    indices[i] = better ? index : indices[i];
  }
}

template <class T>
class BagSums {
 public:
  explicit BagSums(ComputeCall& call)
      : columns_(call.inputs[0].layout.shape[1]),
        length_(call.inputs[1].layout.shape[0]),
        bags_(call.outputs[0].layout.shape[0]),
        padding_(unpack<EmbeddingBagAttributes>(call.attributes).padding_row),
        mode_(unpack<EmbeddingBagAttributes>(call.attributes).mode),
        table_(static_cast<const T*>(call.inputs[0].data)),
        rows_(static_cast<const int64_t*>(call.inputs[1].data)),
        starts_(static_cast<const int64_t*>(call.inputs[2].data)),
        weights_(call.inputs.size() > 3 ? static_cast<const T*>(call.inputs[3].data) : nullptr),
        out_(static_cast<T*>(call.outputs[0].data)),
        chosen_(mode_ == BagMode::max ? static_cast<int64_t*>(call.outputs[1].data) : nullptr),
        check_(call, call.inputs[0].layout.shape[0]),
        parallel_(*call.parallel) {}

  void run() {
    const int64_t work =
        std::max<int64_t>(1, columns_ * (1 + length_ / std::max<int64_t>(1, bags_)));
    parallel_.for_range(
        bags_, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
          static thread_local Workspace workspace;
          auto* values = workspace.get<Wide<T>>(columns_);
          for (int64_t bag = begin; bag < end; ++bag) {
            const int64_t first = starts_[bag] - 1, last = starts_[bag + 1] - 1;
            std::fill_n(values, columns_, Wide<T>(0));
            mode_ == BagMode::max ? choose(bag, first, last, values) : add(first, last, values);
            for (int64_t i = 0; i < columns_; ++i)
              out_[bag * columns_ + i] = static_cast<T>(values[i]);
          }
        });
  }

 private:
  /// The row at an index, or null if it does not count.
  const T* row_at(int64_t index) {
    const int64_t row = rows_[index];
    if (!check_.allows(row, index) || row == padding_) return nullptr;
    return table_ + (row - 1) * columns_;
  }

  void prefetch(int64_t index) const {
    if (index + kAhead >= length_) return;
    const auto row = static_cast<uintptr_t>(rows_[index + kAhead]) - 1;
    const uintptr_t bytes = static_cast<uintptr_t>(columns_) * sizeof(T);
    const auto from = reinterpret_cast<uintptr_t>(table_) + row * bytes;
    for (uintptr_t byte = 0; byte < std::min<uintptr_t>(bytes, 256); byte += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(from + byte));
  }

  void add(int64_t first, int64_t last, Wide<T>* sums) {
    static const auto add_plain = fastest<add_rows<T>>();
    static const auto add_product = fastest<add_weighted<T>>();
    int64_t counted = 0;
    const T* rows[kRows];
    int waiting = 0;
    for (int64_t index = first; index < last; ++index) {
      prefetch(index);
      const T* row = row_at(index);
      if (!row) continue;
      ++counted;
      if (weights_) {
        add_product(sums, row, columns_, static_cast<Wide<T>>(weights_[index]));
        continue;
      }
      rows[waiting++] = row;
      if (waiting < kRows) continue;
      add_plain(sums, rows, waiting, columns_);
      waiting = 0;
    }
    add_plain(sums, rows, waiting, columns_);
    if (mode_ != BagMode::mean || counted < 2) return;
    for (int64_t i = 0; i < columns_; ++i) sums[i] /= static_cast<Wide<T>>(counted);
  }

  void choose(int64_t bag, int64_t first, int64_t last, Wide<T>* values) {
    static const auto take = fastest<take_largest<T>>();
    static thread_local Workspace workspace;
    auto* indices = workspace.get<int32_t>(columns_);
    std::fill_n(indices, columns_, -1);
    for (int64_t index = first; index < last; ++index) {
      prefetch(index);
      if (const T* row = row_at(index))
        take(row, columns_, static_cast<int32_t>(index - first), values, indices);
    }
    int64_t* chosen = chosen_ + bag * columns_;
    for (int64_t i = 0; i < columns_; ++i)
      chosen[i] = indices[i] < 0 ? 0 : rows_[first + indices[i]];
  }

  int64_t columns_, length_, bags_, padding_;
  BagMode mode_;
  const T* table_;
  const int64_t *rows_, *starts_;
  const T* weights_;
  T* out_;
  int64_t* chosen_;
  RangeCheck check_;
  Parallel& parallel_;
};

}  // namespace

void compute_embedding_bag(ComputeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (is_floating_type<T>) BagSums<T>(call).run();
  });
}

}  // namespace tide
