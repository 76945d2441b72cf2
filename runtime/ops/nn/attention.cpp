// Scaled dot-product attention. Large score matrices are never stored entirely: a part is computed,
// used and freed before the next, and recomputed in the backward pass (T. Dao and others,
// "FlashAttention", 2022; parts have complete rows here, so that no maximum must be corrected). For
// half types on a GPU, cuDNN's fused kernel is used if it supports the case.
#include "runtime/ops/nn/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/softmax.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr const char* kAttentionName = "scaled_dot_product_attention";

/// The number of scores stored at a time: on the cpu as many as caches hold; where few large parts
/// are faster, enough to hide launch overhead.
constexpr int64_t kMostScores = int64_t{1} << 21, kMostScoresInLargeParts = int64_t{1} << 24;
/// Fewer rows make inefficient matrix products.
constexpr int64_t kLeastRows = 64;
/// The number of parts into which causal rows are split: with eight, 44 % of the scores are never
/// computed.
constexpr int64_t kCausalParts = 8;
/// The score of masked keys.
constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Some queries with all the keys and values they attend to. All have the same rank.
struct Operands {
  Tensor query, key, value;
  Tensor mask;            ///< added, or if bool, true for allowed keys; undefined: none
  int64_t first_row = 0;  ///< the number of preceding queries
  bool some_rows = false;

  int rank() const { return query.rank(); }
  int rows_dim() const { return rank() - 2; }
  DType type() const { return query.dtype(); }
};

struct Rule {
  double scale, dropout;
  bool causal;
};

/// The sizes of an operand except rows and features.
Shape stacks_of(const Tensor& x) {
  Shape shape = x.shape();
  shape[x.rank() - 2] = shape[x.rank() - 1] = 1;
  return shape;
}

/// Sizes of the scores.
Shape score_shape(const Operands& o) {
  Shape shape = broadcast(kAttentionName, stacks_of(o.query), stacks_of(o.key));
  shape = broadcast(kAttentionName, shape, stacks_of(o.value));
  if (o.mask.defined()) shape = broadcast(kAttentionName, shape, stacks_of(o.mask));
  shape[o.rows_dim()] = o.query.shape()[o.rows_dim()];
  shape[o.rank() - 1] = o.key.shape()[o.rows_dim()];
  return shape;
}

/// Scores are exponents: rounding to half types would change weights by large factors.
Tensor scores_of(const Operands& o, const Rule& rule) {
  const Tensor scores = matmul_unrounded(o.query, matrix_transpose(o.key)) * rule.scale;
  if (rule.causal) {
    const Shape plane{scores.shape()[o.rank() - 2], scores.shape()[o.rank() - 1]};
    const TensorOptions options{.dtype = DType::boolean, .device = scores.device()};
    return where(tril(ones(plane, options), o.first_row), scores, kNever);
  }
  if (!o.mask.defined()) return scores;
  return o.mask.dtype() == DType::boolean ? where(o.mask, scores, kNever) : scores + o.mask;
}

/// A query with all keys masked has zero weights, as in PyTorch.
Tensor weights_of(const Operands& o, const Rule& rule) {
  const Tensor scores = scores_of(o, rule);
  if (!o.mask.defined() || scores.numel() == 0) return softmax(scores, Dim{-1});
  const Tensor blind = eq(amax(detach(scores), Dims{-1}, true), kNever);
  return where(blind, 0.0, softmax(where(blind, 0.0, scores), Dim{-1}));
}

/// The size of a part in one dimension of the scores.
struct Cut {
  int dim;
  int64_t count;
};

/// Parts determine how random numbers are assigned, so with dropout they are the same on all
/// devices.
int64_t most_scores(const Operands& o, const Rule& rule) {
  const bool large = capabilities(o.query.device()).large_parts;
  return large && rule.dropout == 0 ? kMostScoresInLargeParts : kMostScores;
}

/// How to split the scores; empty if all can be stored at once.
std::optional<Cut> cut_of(const Operands& o, const Rule& rule) {
  const Shape shape = score_shape(o);
  const int64_t most = most_scores(o, rule);
  int64_t inner = shape.numel();
  if (inner <= most) return {};
  const int64_t rows = shape[o.rows_dim()];
  if (rule.causal && !o.some_rows) {
    const int64_t count = std::max(kLeastRows, (rows + kCausalParts - 1) / kCausalParts);
    if (count < rows) return Cut{o.rows_dim(), count};
  }
  for (int d = 0; d < o.rows_dim(); ++d) {
    inner /= shape[d];
    if (shape[d] > 1) return Cut{d, std::max<int64_t>(1, most / inner)};
  }
  const int64_t count = std::max(kLeastRows, most / shape[o.rank() - 1]);
  if (count >= rows) return {};
  return Cut{o.rows_dim(), count};
}

/// The part of x that belongs to a split; all of x if it is the same for all.
Tensor part_of(const Tensor& x, const Cut& cut, int64_t first) {
  if (!x.defined() || x.shape()[cut.dim] == 1) return x;
  return slice(x, cut.dim, first, std::min(cut.count, x.shape()[cut.dim] - first));
}

Operands part_of(const Operands& o, const Rule& rule, const Cut& cut, int64_t first) {
  Operands part = o;
  part.query = part_of(o.query, cut, first);
  part.mask = part_of(o.mask, cut, first);
  if (cut.dim < o.rows_dim()) {
    part.key = part_of(o.key, cut, first);
    part.value = part_of(o.value, cut, first);
    return part;
  }
  part.first_row = o.first_row + first;
  part.some_rows = true;
  if (rule.causal) {  // later keys are masked
    const int64_t seen = std::min(o.key.shape()[cut.dim], part.first_row + cut.count);
    part.key = slice(o.key, cut.dim, 0, seen);
    part.value = slice(o.value, cut.dim, 0, seen);
  }
  return part;
}

Tensor attend(const Operands& o, const Rule& rule) {
  const auto cut = cut_of(o, rule);
  if (!cut)
    return matmul(convert(dropout(weights_of(o, rule), rule.dropout, true), o.type()), o.value);
  const int64_t size = score_shape(o)[cut->dim];
  std::vector<Tensor> parts;
  for (int64_t first = 0; first < size; first += cut->count)
    parts.push_back(attend(part_of(o, rule, *cut, first), rule));
  return cat(parts, Dim{cut->dim});
}

/// Gradients by query, key, value and mask, in this order; in float32 for half types.
using Gradients = std::vector<Tensor>;

Gradients gradients_of_part(const Operands& o, const Rule& rule, const Tensor& dy) {
  const Tensor weights = weights_of(o, rule);
  Generator again = default_generator();
  const Tensor dropped_weights = dropout(weights, rule.dropout, true);
  Tensor slope = matmul_unrounded(dy, matrix_transpose(o.value));
  {
    GeneratorScope scope(&again);
    slope = dropout(slope, rule.dropout, true);
  }
  const Tensor by_scores = weights * (slope - sum(slope * weights, Dims{-1}, true));
  const Tensor factor = convert(by_scores, o.type()), spread = convert(dropped_weights, o.type());
  return {sum_to(matmul_unrounded(factor, o.key) * rule.scale, o.query.shape()),
          sum_to(matmul_unrounded(matrix_transpose(factor), o.query) * rule.scale, o.key.shape()),
          sum_to(matmul_unrounded(matrix_transpose(spread), dy), o.value.shape()),
          o.mask.defined() && is_floating(o.mask.dtype()) ? sum_to(by_scores, o.mask.shape())
                                                          : Tensor()};
}

/// The gradient of x, assembled from those of the parts.
Tensor joined(const Tensor& x, const std::vector<Gradients>& parts, size_t which, const Cut& cut,
              bool by_rows) {
  const bool each_has_its_own = by_rows && x.shape()[cut.dim] != 1;
  std::vector<Tensor> pieces;
  Tensor total;
  for (const Gradients& part : parts) {
    if (each_has_its_own) {
      pieces.push_back(part[which]);
      continue;
    }
    const int dim = x.rank() - 2;
    const int64_t missing = x.shape()[dim] - part[which].shape()[dim];  // masked keys
    const Tensor whole = missing ? pad(part[which], {0, 0, 0, missing}) : part[which];
    total = total.defined() ? total + whole : whole;
  }
  return each_has_its_own ? cat(pieces, Dim{cut.dim}) : total;
}

Gradients gradients_of(const Operands& o, const Rule& rule, const Tensor& dy) {
  const auto cut = cut_of(o, rule);
  if (!cut) return gradients_of_part(o, rule, dy);
  std::vector<Gradients> parts;
  for (int64_t first = 0; first < dy.shape()[cut->dim]; first += cut->count)
    parts.push_back(gradients_of(part_of(o, rule, *cut, first), rule, part_of(dy, *cut, first)));
  const bool stacks = cut->dim < o.rows_dim();
  Gradients result = {joined(o.query, parts, 0, *cut, true), joined(o.key, parts, 1, *cut, stacks),
                      joined(o.value, parts, 2, *cut, stacks), Tensor()};
  if (parts[0][3].defined()) result[3] = joined(o.mask, parts, 3, *cut, true);
  return result;
}

/// Whether a mask needs no gradient, and is either shared by all stacks of heads or separate for
/// each.
bool suits_library(const Tensor& mask, const Tensor& query) {
  if (needs_grad_fn(mask)) return false;
  const int heads_dim = query.rank() - 3;
  bool one = true, each = true;
  for (int d = 0; d <= heads_dim; ++d) {
    const int64_t size = mask.shape()[d], whole = query.shape()[d];
    if (size != 1 && size != whole) return false;
    one = one && (d == heads_dim || size == 1);
    each = each && (d == heads_dim || size == whole);
  }
  return one || each;
}

/// Whether the device's library computes all of it without storing scores. Not worth it if the
/// scores fit the caches: the library compiles a kernel for each new shape, in about a second.
bool suits_library(const Operands& o, const Rule& rule) {
  constexpr int64_t kElements = 8, kMostFeatures = 128;  // 16 bytes; supported by all GPUs
  const int64_t features = o.query.shape()[o.rank() - 1], rows = o.query.shape()[o.rows_dim()],
                keys = o.key.shape()[o.rows_dim()];
  const bool trains = needs_grad_fn(o.query) || needs_grad_fn(o.key) || needs_grad_fn(o.value);
  return is_half(o.type()) && rule.dropout == 0 &&
         (!o.mask.defined() || suits_library(o.mask, o.query)) &&
         stacks_of(o.query) == stacks_of(o.key) && o.key.shape() == o.value.shape() &&
         features % kElements == 0 && features <= kMostFeatures &&
         score_shape(o).numel() > kMostScores && (!trains || rows * keys <= kMostScoresOfHead) &&
         engine::has_library(o.query.device(), ComputeOp::attention);
}

/// (stacks, heads), as the library expects them.
std::pair<int64_t, int64_t> heads_in(const Shape& shape) {
  int64_t stacks = 1;
  for (int d = 0; d < shape.rank() - 3; ++d) stacks *= shape[d];
  return {stacks, shape.rank() > 2 ? shape[shape.rank() - 3] : 1};
}

/// x as (stacks, heads, rows, features), laid out for 16-byte loads.
Tensor heads_of(const Tensor& x) {
  const Shape& s = x.shape();
  const int rank = s.rank();
  const auto [stacks, heads] = heads_in(s);
  const Tensor four = reshape_to(x, {stacks, heads, s[rank - 2], s[rank - 1]});
  const Layout& layout = four.layout();
  constexpr int64_t kElements = 8;
  bool good = layout.strides[3] == 1 && layout.offset % kElements == 0;
  for (int d = 0; d < 3; ++d)
    good = good && layout.strides[d] > 0 && layout.strides[d] % kElements == 0;
  return good ? four : record_contiguous(four);
}

/// The mask as finite values to be added to the scores (stacks, heads, rows, keys). They are finite
/// because fully masked rows must not give nan, although their results are not used.
Tensor addend_of(const Operands& o) {
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  const Tensor numbers =
      o.mask.dtype() == DType::boolean ? where(o.mask, 0, kLowest) : maximum(o.mask, kLowest);
  const Shape scores = score_shape(o);
  Shape shape = o.mask.shape();
  shape[o.rank() - 1] = scores[o.rank() - 1];
  const auto [stacks, heads] = heads_in(shape);
  const auto [all_stacks, all_heads] = heads_in(scores);
  const int64_t rows = shape[o.rows_dim()], keys = shape[o.rank() - 1];
  const Tensor dense = record_contiguous(broadcast_to(numbers, shape));
  return broadcast_to(reshape_to(dense, {stacks, heads, rows, keys}),
                      {all_stacks, all_heads, scores[o.rows_dim()], keys});
}

/// y, with 0 in the rows of queries with all keys masked.
Tensor without_blind(const Operands& o, const Tensor& y) {
  const Tensor blind = o.mask.dtype() == DType::boolean ? logical_not(any(o.mask, Dims{-1}, true))
                                                        : eq(amax(o.mask, Dims{-1}, true), kNever);
  return where(blind, 0, y);
}

/// The gradients, by the library. The result and its gradient are dense.
Gradients gradients_of_whole(const Operands& o, std::span<const int64_t> rule, const Tensor& y,
                             const Tensor& logarithms, const Tensor& dy) {
  std::vector<Tensor> inputs = {heads_of(o.query), heads_of(o.key), heads_of(o.value),
                                heads_of(y),       heads_of(dy),    logarithms};
  if (o.mask.defined()) inputs.push_back(addend_of(o));
  const ComputeResult results[] = {
      {o.query.shape(), o.type()}, {o.key.shape(), o.type()}, {o.value.shape(), o.type()}};
  return record_compute(ComputeOp::attention_backward, kAttentionName, inputs, results, rule);
}

std::optional<Saved> saved_mask(const Operands& o) {
  return o.mask.defined() ? std::optional<Saved>(o.mask) : std::nullopt;
}

/// Attention by the library.
Tensor attend_whole(const Operands& o, const Rule& rule) {
  const auto attributes = pack(AttentionAttributes{static_cast<float>(rule.scale), rule.causal});
  std::vector<Tensor> outputs;
  {
    GradientMode off(false);
    std::vector<Tensor> inputs = {heads_of(o.query), heads_of(o.key), heads_of(o.value)};
    if (o.mask.defined()) inputs.push_back(addend_of(o));
    const Shape& shape = inputs[0].shape();
    const ComputeResult results[] = {{o.query.shape(), o.type()},
                                     {{shape[0], shape[1], shape[2]}, DType::f32}};
    outputs = record_compute(ComputeOp::attention, kAttentionName, inputs, results, attributes);
  }
  set_grad_fn(
      outputs[0], kAttentionName, {o.query, o.key, o.value}, true,
      [=, query = Saved(o.query), key = Saved(o.key), value = Saved(o.value), mask = saved_mask(o),
       logarithms = Saved(outputs[1])](const GradientCall& call) {
        const Operands saved{query.get(), key.get(), value.get(), mask ? mask->get() : Tensor()};
        if (!GradientMode::enabled())
          return gradients_of_whole(saved, attributes, call.y, logarithms.get(),
                                    record_contiguous(call.dy));
        Gradients result = gradients_of(saved, rule, call.dy);
        result.pop_back();  // the mask's
        for (Tensor& gradient : result) gradient = convert(gradient, saved.type());
        return result;
      });
  return o.mask.defined() ? without_blind(o, outputs[0]) : outputs[0];
}

void check(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
           bool is_causal) {
  const std::string name = kAttentionName;
  check_min_rank(kAttentionName, query, 2, "a query");
  check_min_rank(kAttentionName, key, 2, "a key");
  check_min_rank(kAttentionName, value, 2, "a value");
  check_same_type(kAttentionName, query.dtype(), key.dtype());
  check_same_type(kAttentionName, query.dtype(), value.dtype());
  const int64_t features = query.shape()[query.rank() - 1];
  if (key.shape()[key.rank() - 1] != features)
    throw ShapeError(name + ": query " + query.shape().text() + " has " + std::to_string(features) +
                     " features, key " + key.shape().text() + " has " +
                     std::to_string(key.shape()[key.rank() - 1]));
  const int64_t keys = key.shape()[key.rank() - 2], values = value.shape()[value.rank() - 2];
  if (keys != values)
    throw ShapeError(name + ": " + std::to_string(keys) + " keys of " + key.shape().text() +
                     " and " + std::to_string(values) + " values of " + value.shape().text() +
                     " do not pair");
  if (!mask.defined()) return;
  if (is_causal) throw Error(name + ": a mask and is_causal cannot be combined");
  if (mask.dtype() != DType::boolean && mask.dtype() != query.dtype() && mask.dtype() != DType::f32)
    throw DTypeError(name + ": the mask must be of bool, float32 or the type of the query, " +
                     std::string(name_of(query.dtype())) + ", got " +
                     std::string(name_of(mask.dtype())));
  const Shape plane{query.shape()[query.rank() - 2], keys};
  const Shape& sizes = mask.shape();
  for (int back = 1; back <= std::min(2, sizes.rank()); ++back) {
    const int64_t size = sizes[sizes.rank() - back], scores = plane[2 - back];
    if (size != 1 && size != scores)
      throw ShapeError(name + ": a mask of " + sizes.text() + " does not fit scores of " +
                       plane.text() + " (queries, keys)");
  }
}

/// x with leading dimensions of size 1.
Tensor of_rank(const Tensor& x, int rank) {
  if (!x.defined() || x.rank() == rank) return x;
  Shape shape;
  while (shape.rank() < rank - x.rank()) shape.push_back(1);
  for (const int64_t size : x.shape()) shape.push_back(size);
  return reshape_to(x, shape);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& given_mask,
                                    std::optional<double> dropout_p, bool is_causal,
                                    std::optional<double> scale) {
  Tensor mask = given_mask.value_or(Tensor());
  check(query, key, value, mask, is_causal);
  const Rule rule{scale.value_or(1 / std::sqrt(query.shape()[query.rank() - 1])),
                  dropout_p.value_or(0), is_causal};
  // Tensor Cores need half-type operands; everything else is float32 until the end.
  const bool in_half = capabilities(query.device()).half_products;
  const DType type = in_half ? query.dtype() : compute_type(query.dtype());
  if (mask.defined() && mask.dtype() != DType::boolean) mask = convert(mask, compute_type(type));
  int rank = std::max({query.rank(), key.rank(), value.rank()});
  if (mask.defined()) rank = std::max(rank, mask.rank());
  const Operands o{of_rank(convert(query, type), rank), of_rank(convert(key, type), rank),
                   of_rank(convert(value, type), rank), of_rank(mask, rank)};
  if (suits_library(o, rule)) return attend_whole(o, rule);
  if (!cut_of(o, rule)) return convert(attend(o, rule), query.dtype());

  const Generator before = default_generator();
  Tensor y;
  {
    GradientMode off(false);
    y = attend(o, rule);
  }
  const Tensor inputs[] = {o.query, o.key, o.value, o.mask};
  const std::span used(inputs, mask.defined() ? 4 : 3);
  set_grad_fn(
      y, kAttentionName, used, false,
      [=, query = Saved(o.query), key = Saved(o.key), value = Saved(o.value),
       mask = saved_mask(o)](const GradientCall& call) {
        Generator again = before;
        GeneratorScope scope(&again);
        const Operands saved{query.get(), key.get(), value.get(), mask ? mask->get() : Tensor()};
        Gradients result = gradients_of(saved, rule, call.dy);
        result.resize(call.needed.size());
        for (size_t i = 0; i < 3; ++i) result[i] = convert(result[i], type);
        return result;
      });
  return convert(y, query.dtype());
}

}  // namespace tide
