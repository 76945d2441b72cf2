// Recurrent layers over entire sequences. The weights are packed once for all steps, and the cell
// uses a product while it is in the first-level cache. A thread computes some units of all
// sequences; the threads synchronize once per step.
#include <algorithm>
#include <span>

#include "runtime/cpu/gemm/gemm_packing.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/recurrence_cells.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Multiply-adds of one step that are worth another thread.
constexpr int64_t kWorthThread = 1 << 17;

/// The right side of a product, (k, panels of columns).
template <class T>
class RightPanels {
 public:
  static size_t size(int64_t k, int64_t panels) {
    return static_cast<size_t>(k * panels * gemm_kernel<T>().columns);
  }
  RightPanels(int64_t k, int64_t panels, T* memory) : k_(k), panels_(panels), data_(memory) {}

  /// Packs all panels: columns(panel) returns the matrix (k, count) and its count.
  template <class Columns>
  void pack_all(Parallel& parallel, const Columns& columns) const {
    const int64_t grain = std::max<int64_t>(1, kWorthThread / (4 * k_ * kernel().columns));
    parallel.for_range(panels_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) {
        const auto [matrix, count] = columns(panel);
        for (int64_t p = 0; p < k_; p += kGemmBlock) {
          const int64_t depth = std::min(kGemmBlock, k_ - p);
          pack(count, depth, transposed(block_of(matrix, p, 0)), kernel().columns,
               kernel().transpose, const_cast<T*>(block(p, depth, panel).data));
        }
      }
    });
  }

  /// `n` columns, starting at a panel.
  GemmRight<T> block(int64_t p, int64_t depth, int64_t panel, int64_t n = 0) const {
    const int64_t size = kernel().columns * depth;
    const T* first = data_ + p * panels_ * kernel().columns + panel * size;
    return {first, size, kernel().columns, first + n / kernel().columns * size};
  }

 private:
  static const GemmKernel<T>& kernel() { return gemm_kernel<T>(); }
  int64_t k_, panels_;
  T* data_;
};

/// c (m, n) = [c +] left * right's panels from `panel` on [+ bias]. The left side (m, k), with
/// contiguous rows, is read in place.
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, const T* left, const RightPanels<T>& right,
              int64_t panel, const T* bias, T* c, int64_t c_stride, bool accumulate) {
  const GemmKernel<T>& kernel = gemm_kernel<T>();
  for (int64_t p = 0; p < k; p += kGemmBlock) {
    const int64_t depth = std::min(kGemmBlock, k - p);
    kernel.block(m, n, depth, {left + p, kernel.rows * k, k, 1}, right.block(p, depth, panel, n),
                 p + depth == k ? bias : nullptr, c, c_stride, accumulate || p > 0);
  }
}

/// Sizes, and the steps in the order in which they run. Units are computed in groups of `width`.
struct Sequences {
  RecurrenceCell cell;
  bool backwards, has_bias;
  std::span<const int64_t> sizes;  ///< sequences in each step, never increasing
  int64_t count, hidden, gates, kept, width, groups;

  Sequences(const ComputeCall& call, int64_t hidden_size, int64_t group_width)
      : Sequences(unpack<RecurrenceAttributes>(call.attributes),
                  call.attributes.subspan(kWords<RecurrenceAttributes>), hidden_size, group_width) {
  }
  Sequences(const RecurrenceAttributes& attributes, std::span<const int64_t> sequence_counts,
            int64_t hidden_size, int64_t group_width)
      : cell(attributes.cell),
        backwards(attributes.last_step_first),
        has_bias(attributes.has_bias),
        sizes(sequence_counts),
        count(sizes[0]),
        hidden(hidden_size),
        gates(gate_count(cell)),
        kept(kept_count(cell)),
        width(group_width),
        groups((hidden + width - 1) / width) {}

  int64_t units_in(int64_t begin, int64_t end) const {
    return std::min(hidden, end * width) - begin * width;
  }
  int64_t units_in(int64_t group) const { return units_in(group, group + 1); }

  /// Calls visit(rows, first) for each step: its number of sequences, and the number of rows of the
  /// earlier steps.
  template <class Visit>
  void for_steps(bool last_first, const Visit& visit) const {
    int64_t first = 0;
    if (last_first)
      for (const int64_t size : sizes) first += size;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t rows = sizes[last_first ? sizes.size() - 1 - i : i];
      if (last_first) first -= rows;
      visit(rows, first);
      if (!last_first) first += rows;
    }
  }
};

/// Calls body(begin, end) for each thread's part of the groups of units; `work` is that of one
/// group. Parts are contiguous, because neighbouring units cause fewer cache misses.
template <class Body>
void for_groups(Parallel& parallel, const Sequences& all, int64_t work, const Body& body) {
  const int64_t most = std::min<int64_t>(parallel.threads(), all.groups);
  const int64_t parts = std::clamp<int64_t>(all.groups * work / kWorthThread, 1, most);
  parallel.for_range(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      body(part * all.groups / parts, (part + 1) * all.groups / parts);
  });
}

template <class T>
const T* input(const ComputeCall& call, size_t index) {
  return static_cast<const T*>(call.inputs[index].data);
}
template <class T>
T* output(const ComputeCall& call, size_t index) {
  return static_cast<T*>(call.outputs[index].data);
}
template <class T>
Matrix<T> matrix(const ArrayView& x) {
  return {static_cast<const T*>(x.data), x.layout.strides[0], x.layout.strides[1]};
}

template <class T, bool keep>
auto forward_of(RecurrenceCell cell) {
  switch (cell) {
    case RecurrenceCell::tanh:
      return fastest<step_forward<T, RecurrenceCell::tanh, keep>>();
    case RecurrenceCell::relu:
      return fastest<step_forward<T, RecurrenceCell::relu, keep>>();
    case RecurrenceCell::lstm:
      return fastest<step_forward<T, RecurrenceCell::lstm, keep>>();
    case RecurrenceCell::gru:
      return fastest<step_forward<T, RecurrenceCell::gru, keep>>();
  }
  throw InternalError("recurrence: unknown cell");
}

template <class T>
auto backward_of(RecurrenceCell cell) {
  switch (cell) {
    case RecurrenceCell::tanh:
      return fastest<step_back<T, RecurrenceCell::tanh>>();
    case RecurrenceCell::relu:
      return fastest<step_back<T, RecurrenceCell::relu>>();
    case RecurrenceCell::lstm:
      return fastest<step_back<T, RecurrenceCell::lstm>>();
    case RecurrenceCell::gru:
      return fastest<step_back<T, RecurrenceCell::gru>>();
  }
  throw InternalError("recurrence: unknown cell");
}

/// The weights of the hidden state, panel by panel: a group's units of each gate.
template <class T>
RightPanels<T> panels_of_gates(ComputeCall& call, const Sequences& all, const ArrayView& weight) {
  static thread_local Workspace memory;
  const int64_t panels = all.groups * all.gates;
  const RightPanels<T> right(all.hidden, panels,
                             memory.get<T>(RightPanels<T>::size(all.hidden, panels)));
  right.pack_all(*call.parallel, [&](int64_t panel) {
    const int64_t group = panel / all.gates, gate = panel % all.gates;
    const int64_t first = gate * all.hidden + group * all.width;
    return std::pair(transposed(block_of(matrix<T>(weight), first, 0)), all.units_in(group));
  });
  return right;
}

/// The bias in the order of those panels' columns.
template <class T>
const T* bias_of_panels(const Sequences& all, const ArrayView& bias) {
  static thread_local Workspace memory;
  T* const ordered = memory.get<T>(static_cast<size_t>(all.groups * all.gates * all.width));
  T* to = ordered;
  for (int64_t group = 0; group < all.groups; ++group)
    for (int64_t gate = 0; gate < all.gates; ++gate, to += all.width) {
      const int64_t first = gate * all.hidden + group * all.width;
      for (int64_t u = 0; u < all.width; ++u)
        to[u] = u < all.units_in(group)
                    ? static_cast<const T*>(bias.data)[(first + u) * bias.layout.strides[0]]
                    : T(0);
    }
  return ordered;
}

/// Runs all steps; units are split into groups as wide as a panel.
template <class T>
void forward(ComputeCall& call) {
  const Sequences all(call, call.outputs[1].layout.shape[1], gemm_kernel<T>().columns);
  const bool lstm = all.cell == RecurrenceCell::lstm;
  const size_t states = lstm ? 2 : 1, first_kept = 1 + states;
  const bool keep = call.outputs.size() > first_kept;
  const int64_t n = all.count, hidden = all.hidden, columns = all.gates * all.width;
  T* const c = output<T>(call, states);
  if (states == 2) std::copy_n(input<T>(call, 2), n * hidden, c);

  const auto right = panels_of_gates<T>(call, all, call.inputs[1 + states]);
  const T* bias = all.has_bias ? bias_of_panels<T>(all, call.inputs[2 + states]) : nullptr;
  // A step reads one and writes the other; sequences that are not in a step have the same values in
  // both.
  static thread_local Workspace state_memory;
  T *now = state_memory.get<T>(static_cast<size_t>(2 * n * hidden)), *next = now + n * hidden;
  for (T* h : {now, next}) std::copy_n(input<T>(call, 1), n * hidden, h);

  const auto step = keep ? forward_of<T, true>(all.cell) : forward_of<T, false>(all.cell);
  all.for_steps(all.backwards, [&](int64_t rows, int64_t first) {
    for_groups(*call.parallel, all, rows * columns * hidden, [&](int64_t begin, int64_t end) {
      static thread_local Workspace product_memory;
      const int64_t stride = (end - begin) * columns;
      T* const product = product_memory.get<T>(static_cast<size_t>(rows * stride));
      multiply(rows, stride, hidden, now, right, begin * all.gates,
               bias ? bias + begin * columns : nullptr, product, stride, false);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t group = begin; group < end; ++group) {
          const int64_t unit = group * all.width;
          const int64_t offset = (first + row) * hidden + unit, state_offset = row * hidden + unit;
          const auto kept = [&](size_t which, int64_t at) {
            return keep ? output<T>(call, first_kept + which) + at : nullptr;
          };
          step({all.units_in(group), input<T>(call, 0) + (first + row) * all.gates * hidden + unit,
                product + row * stride + (group - begin) * columns, hidden, all.width,
                now + state_offset, next + state_offset, c + state_offset,
                output<T>(call, 0) + offset, kept(0, (first + row) * all.kept * hidden + unit),
                kept(1, offset), kept(states, offset), hidden});
        }
    });
    std::swap(now, next);
    std::copy_n(now, rows * hidden, output<T>(call, 1));
  });
}

/// Runs the steps in the opposite order. The gradient of the state includes a product of the
/// following step's gradients, which is computed together with the next step to run.
template <class T>
void backward(ComputeCall& call) {
  const Sequences all(call, call.outputs[1].layout.shape[1], gemm_kernel<T>().columns);
  const bool gru = all.cell == RecurrenceCell::gru;
  const size_t states = all.cell == RecurrenceCell::lstm ? 2 : 1, first_kept = 1 + states;
  const int64_t n = all.count, hidden = all.hidden, k = all.gates * hidden;
  T *const dh = output<T>(call, 1), *const dc = output<T>(call, states);
  T *const dinput = output<T>(call, 0), *const dhidden = gru ? output<T>(call, 2) : dinput;
  for (size_t i = 1; i <= states; ++i)
    std::copy_n(input<T>(call, i), n * hidden, output<T>(call, i));

  static thread_local Workspace right_memory;
  const RightPanels<T> right(k, all.groups,
                             right_memory.get<T>(RightPanels<T>::size(k, all.groups)));
  right.pack_all(*call.parallel, [&](int64_t group) {
    const Matrix<T> weight = matrix<T>(call.inputs.back());
    return std::pair(block_of(weight, 0, group * all.width), all.units_in(group));
  });
  const auto step = backward_of<T>(all.cell);
  int64_t rows_before = 0;
  const T* before = nullptr;  // dhidden of the last step that ran
  const auto add_product = [&](int64_t unit, int64_t count) {
    multiply(rows_before, count, k, before, right, unit / all.width, static_cast<const T*>(nullptr),
             dh + unit, hidden, gru);
  };
  all.for_steps(!all.backwards, [&](int64_t rows, int64_t first) {
    for_groups(*call.parallel, all, rows * all.width * k, [&](int64_t begin, int64_t end) {
      const int64_t unit = begin * all.width, count = all.units_in(begin, end);
      if (rows_before > 0) add_product(unit, count);
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t offset = (first + row) * hidden + unit, state_offset = row * hidden + unit;
        const int64_t gradients = (first + row) * k + unit;
        step({count, input<T>(call, 0) + offset,
              input<T>(call, first_kept) + (first + row) * all.kept * hidden + unit,
              input<T>(call, first_kept + 1) + offset, input<T>(call, first_kept + states) + offset,
              hidden, dh + state_offset, dc + state_offset, dinput + gradients, dhidden + gradients,
              hidden});
      }
    });
    before = dhidden + first * k;
    rows_before = rows;
  });
  for_groups(*call.parallel, all, rows_before * all.width * k, [&](int64_t begin, int64_t end) {
    add_product(begin * all.width, all.units_in(begin, end));
  });
}

}  // namespace

void compute_recurrence(ComputeCall& call) {
  call.inputs[0].type == DType::f64 ? forward<double>(call) : forward<float>(call);
}

void compute_recurrence_backward(ComputeCall& call) {
  call.inputs[0].type == DType::f64 ? backward<double>(call) : backward<float>(call);
}

}  // namespace tide
