// Embedding lookup: rows of a table by position, singly or reduced per bag.
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ir/bag_mode.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Scales rows of `weight` that are about to be used down to max_norm, in place.
void limit_rows(const char* name, const Tensor& weight, const Tensor& at, double max_norm,
                double norm_type) {
  GradientMode off(false);
  const Tensor rows = index_select(weight, Dim{0}, at);
  const Tensor norm = vector_norm(rows, norm_type, Dims{1}, true);
  const Tensor scale = where(gt(norm, max_norm), max_norm / (norm + 1e-7), 1);
  write(name, weight, index_copy(weight, Dim{0}, at, rows * scale));
}

/// 1 / the number of occurrences of each position in `at`, as a column.
Tensor shares_of_frequency(const Tensor& at, int64_t rows, DType type) {
  const Tensor none = zeros({rows}, {.dtype = DType::f32, .device = at.device()});
  const Tensor one = convert(ones_like(at), DType::f32);
  const Tensor counts = index_add(none, Dim{0}, at, one);
  return unsqueeze(convert(1 / index_select(counts, Dim{0}, at), type), Dim{-1});
}

/// y, whose gradient is multiplied by `factor`.
Tensor with_gradient_times(const Tensor& y, const Tensor& factor) {
  const Tensor same = detach(y);
  set_grad_fn(same, "embedding", {y}, false,
              [factor = Saved(factor)](const GradientCall& call) -> std::vector<Tensor> {
                return {call.dy * factor.get()};
              });
  return same;
}

/// The padding row, counted from 1, or 0 if there is none.
int64_t padding_row(const char* name, const std::optional<Position>& padding, int64_t rows) {
  return padding ? resolve_position(name, *padding, rows) + 1 : 0;
}

constexpr const char* kBags = "embedding_bag";

/// The bags of a call of embedding_bag.
struct Bags {
  BagMode mode;
  int64_t padding;  ///< the padding row, or 0
  bool by_frequency;
  int64_t count;
  int64_t width;     ///< of bags that are rows of a matrix of positions; 0: bags of any length
  Tensor positions;  ///< positions of rows, one bag after the other
  Tensor starts;     ///< of each bag in `positions`, from 1, and the end of the last one
};

BagMode mode_of(const std::optional<std::string>& mode) {
  return static_cast<BagMode>(choose(kBags, "mode", mode.value_or("mean"), {"sum", "mean", "max"}));
}

/// Bags in a vector of positions, starting at `offsets`.
void begin_at_offsets(Bags& bags, const std::optional<Tensor>& offsets, bool with_end) {
  if (!offsets) throw Error("embedding_bag: positions in one dimension need offsets");
  const int64_t length = bags.positions.numel();
  if (offsets->rank() != 1 || (with_end && offsets->numel() == 0))
    throw ShapeError("embedding_bag: offsets must be a vector" +
                     std::string(with_end ? " that holds the end of the last bag" : "") + ": " +
                     offsets->shape().text());
  const Device device = bags.positions.device();
  const TensorOptions whole{.dtype = DType::i64, .device = device};
  Tensor starts = positions_of(kBags, *offsets);
  if (!with_end) starts = cat({starts, full({1}, Number(length + 1), whole)}, Dim{0});
  // Checks for offsets out of range.
  starts =
      gather_along("embedding_bag offsets", positions_along(1, 0, length + 1, device), 0, starts);
  bags.starts = starts;
  bags.count = starts.numel() - 1;
}

/// Bags are the rows of a matrix of positions.
void begin_at_rows(Bags& bags, const Shape& shape) {
  const Tensor numbers = positions_along(1, 0, shape[0] + 1, bags.positions.device()) - 1;
  bags.starts = numbers * Number(shape[1]) + 1;
  bags.count = shape[0];
  bags.width = shape[1];
}

/// For each position, the number of its bag, from 1 and clamped to existing ones, and whether it
/// belongs to that bag.
struct BagMembership {
  Tensor bag, inside;
};

BagMembership bags_of_positions(const Bags& bags) {
  const TensorOptions whole{.dtype = DType::i64, .device = bags.positions.device()};
  const int64_t length = bags.positions.numel();
  const Tensor marks =
      scatter_add(zeros({length + 1}, whole), Dim{0}, bags.starts, ones({bags.count + 1}, whole));
  const Tensor number = slice(cumsum(marks, Dim{0}), 0, 0, length);
  return {clamp(number, TensorOrNumber(Number(1)), TensorOrNumber(Number(bags.count))),
          logical_and(ge(number, Number(1)), le(number, Number(bags.count)))};
}

/// What gradients need for each position, and how values of bags are expanded to positions.
class BagSpread {
 public:
  explicit BagSpread(const Bags& bags) : bags_(bags) {
    if (bags.width == 0) at_ = bags_of_positions(bags), counted_ = at_.inside;
    if (bags.padding == 0) return;
    const Tensor counts = ne(bags.positions, Number(bags.padding));
    counted_ = counted_.defined() ? logical_and(counted_, counts) : counts;
  }

  /// Expands rows (bags, columns) to one row per position.
  Tensor rows(const Tensor& x) const {
    const Shape shape{bags_.positions.numel(), x.shape()[1]};
    if (bags_.width == 0) return lookup_along(kBags, x, 0, spread_index(at_.bag, shape, 0));
    const Tensor wide = broadcast_to(unsqueeze(x, Dim{1}), {bags_.count, bags_.width, shape[1]});
    return reshape_to(wide, shape);
  }

  /// x, one row per position, with 0 at those in no bag. Not times 0: they may be infinite.
  Tensor keep(const Tensor& x) const {
    if (!counted_.defined()) return x;
    return where(x.rank() == 1 ? counted_ : unsqueeze(counted_, Dim{1}), x, 0);
  }

  /// The number of rows in each bag, at least 1, as a column.
  Tensor counts() const {
    const TensorOptions single{.dtype = DType::f32, .device = bags_.positions.device()};
    if (!counted_.defined()) return full({1, 1}, Number(bags_.width), single);
    const Tensor counted = convert(counted_, DType::f32);
    if (bags_.width > 0)
      return clamp_min(sum(reshape_to(counted, {bags_.count, bags_.width}), Dims{1}, true),
                       Number(1));
    const Tensor sums = scatter_add(zeros({bags_.count}, single), Dim{0}, at_.bag, counted);
    return unsqueeze(clamp_min(sums, Number(1)), Dim{1});
  }

 private:
  const Bags& bags_;
  BagMembership at_;
  Tensor counted_;  ///< undefined: all are
};

/// The gradients of the table, for sums and means, and of the weights.
std::vector<Tensor> sum_gradients(const Bags& bags, const Tensor& weight,
                                  const Tensor& sample_weights, const GradientCall& call) {
  std::vector<Tensor> result(2);
  const Shape rows{bags.positions.numel(), weight.shape()[1]};
  const Tensor zero = zeros(weight.shape(), {.dtype = weight.dtype(), .device = weight.device()});
  if (bags.count == 0 || rows.numel() == 0) {
    if (call.needed[0]) result[0] = zero;
    if (sample_weights.defined() && call.needed[1]) result[1] = zeros_like(sample_weights);
    return result;
  }
  const BagSpread spread(bags);
  const Tensor index = spread_index(bags.positions, rows, 0);
  if (sample_weights.defined() && call.needed[1])
    result[1] =
        spread.keep(sum(gather_along(kBags, weight, 0, index) * spread.rows(call.dy), Dims{1}));
  if (!call.needed[0]) return result;
  const bool mean = bags.mode == BagMode::mean;
  Tensor dy = spread.rows(mean ? share_among(call.dy, spread.counts()) : call.dy);
  if (sample_weights.defined()) dy = dy * unsqueeze(sample_weights, Dim{1});
  if (bags.by_frequency)
    dy = dy * shares_of_frequency(bags.positions, weight.shape()[0], dy.dtype());
  result[0] = scatter_along(kBags, zero, 0, index, spread.keep(dy), true);
  return result;
}

/// The gradient of the table for maxima, taken from the `chosen` rows; 0: none.
Tensor max_gradient(const Bags& bags, const Tensor& weight, const Tensor& chosen,
                    const Tensor& bag_gradient) {
  const Tensor zero = zeros(weight.shape(), {.dtype = weight.dtype(), .device = weight.device()});
  if (chosen.numel() == 0 || weight.numel() == 0) return zero;
  Tensor dy = bag_gradient;
  if (bags.by_frequency) {
    const Tensor counts =
        index_add(zeros({weight.shape()[0]}, {.dtype = DType::f32, .device = dy.device()}), Dim{0},
                  bags.positions, convert(ones_like(bags.positions), DType::f32));
    const Tensor row_counts = index_select(counts, Dim{0}, ravel(clamp_min(chosen, Number(1))));
    dy = share_among(dy, reshape_to(row_counts, dy.shape()));
  }
  return scatter_along(kBags, zero, 0, clamp_min(chosen, Number(1)), where(ne(chosen, 0), dy, 0),
                       true);
}

/// `sample_weights` may be undefined.
Tensor put_together(const Bags& bags, const Tensor& weight, const Tensor& sample_weights) {
  std::vector<Tensor> inputs{contiguous(weight), contiguous(bags.positions),
                             contiguous(bags.starts)};
  if (sample_weights.defined()) inputs.push_back(contiguous(sample_weights));
  const Shape shape{bags.count, weight.shape()[1]};
  const bool largest = bags.mode == BagMode::max;
  const ComputeResult results[] = {{shape, weight.dtype()}, {shape, DType::i64}};
  const auto attributes = pack(EmbeddingBagAttributes{bags.mode, bags.padding});
  const auto y = record_compute(ComputeOp::embedding_bag, kBags, inputs,
                                std::span(results, largest ? 2 : 1), attributes);
  if (needs_grad_fn(weight) || (sample_weights.defined() && needs_grad_fn(sample_weights))) {
    std::vector<Tensor> from{weight};
    if (sample_weights.defined()) from.push_back(sample_weights);
    set_grad_fn(y[0], kBags, from, false,
                [bags, weight = Saved(weight), chosen = largest ? y[1] : Tensor(),
                 sample_weights = sample_weights.defined() ? std::optional(Saved(sample_weights))
                                                           : std::nullopt](
                    const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor table = weight.get();
                  if (chosen.defined()) return {max_gradient(bags, table, chosen, call.dy)};
                  auto gradients = sum_gradients(
                      bags, table, sample_weights ? sample_weights->get() : Tensor(), call);
                  gradients.resize(sample_weights ? 2 : 1);
                  return gradients;
                });
  }
  return y[0];
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<Position> padding,
                 std::optional<double> max_norm, std::optional<double> norm_type,
                 bool scale_grad_by_freq) {
  check_rank("embedding", weight, 2, "a weight");
  const Tensor at = positions_of("embedding", input), vector = ravel(at);
  const int64_t rows = weight.shape()[0];
  // The padding row is looked up like any other, but gets no gradient.
  const int64_t row = padding_row("embedding", padding, rows);
  if (max_norm) limit_rows("embedding", weight, vector, *max_norm, norm_type.value_or(2));
  Tensor y = select_along("embedding", weight, 0, at);
  if (scale_grad_by_freq && needs_grad_fn(y)) {
    Shape shape = at.shape();
    shape.push_back(1);
    y = with_gradient_times(y, reshape_to(shares_of_frequency(vector, rows, y.dtype()), shape));
  }
  if (padding && needs_grad_fn(y)) y = where(unsqueeze(eq(at, Number(row)), Dim{-1}), detach(y), y);
  return y;
}

Tensor embedding_bag(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& offsets,
                     const std::optional<std::string>& mode,
                     const std::optional<Tensor>& per_sample_weights,
                     std::optional<Position> padding, bool include_last_offset,
                     std::optional<double> max_norm, std::optional<double> norm_type,
                     bool scale_grad_by_freq) {
  check_rank(kBags, weight, 2, "a weight");
  check_floating("embedding_bag", weight.dtype(), "a weight");
  check_rank("embedding_bag", x, 1, 2);
  Bags bags{mode_of(mode),
            padding_row(kBags, padding, weight.shape()[0]),
            scale_grad_by_freq,
            0,
            0,
            ravel(positions_of(kBags, x)),
            Tensor()};
  Tensor sample_weights;
  if (per_sample_weights) {
    if (bags.mode != BagMode::sum)
      throw Error("embedding_bag: per_sample_weights need the mode sum, got " +
                  mode.value_or("mean"));
    check_shape("embedding_bag", "per_sample_weights", *per_sample_weights, x.shape());
    sample_weights = ravel(convert(*per_sample_weights, weight.dtype()));
  }
  if (x.rank() == 1)
    begin_at_offsets(bags, offsets, include_last_offset);
  else
    begin_at_rows(bags, x.shape());
  if (max_norm) limit_rows(kBags, weight, bags.positions, *max_norm, norm_type.value_or(2));
  return put_together(bags, weight, sample_weights);
}

}  // namespace tide
