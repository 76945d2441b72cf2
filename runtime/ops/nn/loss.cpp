// Elementwise losses, composed so that they fuse into one kernel.
#include "runtime/ops/nn/loss.h"

#include <cmath>
#include <numbers>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/nn/normalization.h"
#include "runtime/ops/nn/reducer.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {

LossReduction loss_reduction(const char* op, const Reducer& reduction) {
  if (!reduction) return LossReduction::mean;
  return static_cast<LossReduction>(choose(op, "reduction", *reduction, {"mean", "sum", "none"}));
}

Tensor reduce_loss(const Tensor& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::mean:
      return mean(losses);
    case LossReduction::sum:
      return sum(losses);
    default:
      return losses;
  }
}

namespace {

/// The likely fix for a network whose output `x` does not fit the target.
std::string likely_fix(const Shape& x, const Shape& target) {
  if (x.numel() == target.numel()) return "; use target:view_as(x)";
  if (x.rank() != target.rank()) return {};
  int first = 0;
  while (x[first] == target[first]) ++first;
  const std::string sizes = std::to_string(x[first]) + " against " + std::to_string(target[first]);
  const std::string where = " in dimension " + std::to_string(first + 1) + " (" + sizes + ")";
  if (first == 1)
    return "; they differ" + where + ": let the last layer give " + std::to_string(target[1]);
  // Images come first as samples and channels; layers without padding make them smaller.
  const bool shrunk = first > 1 && x[first] < target[first];
  return "; they differ" + where + (shrunk ? ": pad the layers, or crop the target" : "");
}

}  // namespace

void check_same_shape(const char* op, const Tensor& x, const Tensor& target) {
  if (x.shape() == target.shape()) return;
  throw ShapeError(std::string(op) + ": the shapes differ: " + x.shape().text() + " and " +
                   target.shape().text() + likely_fix(x.shape(), target.shape()));
}

namespace {

/// Losses require a floating type.
void check_floating_loss(const char* op, const Tensor& x, const Tensor& target) {
  if (!is_floating(common_type(op, x, target)))
    refuse_types(op, "expected a floating type", x, target);
}

Tensor finish(const char* op, const Tensor& losses, const Reducer& reduction) {
  return reduce_loss(losses, loss_reduction(op, reduction));
}

/// The cross entropy of probabilities, whose logarithms are clamped to at least -100.
Tensor bernoulli_entropy(const Tensor& x, const Tensor& target) {
  const bool differentiable = needs_grad_fn(x) || needs_grad_fn(target);
  Tensor y;
  {
    GradientMode off(false);
    const Tensor yes = clamp_min(log(x), -100), no = clamp_min(log1p(neg(x)), -100);
    y = (target - 1) * no - target * yes;
  }
  if (differentiable) {
    set_grad_fn(y, "binary_cross_entropy", {x, target}, false,
                [x = Saved(x), target = Saved(target)](const GradientCall& call) {
                  const Tensor p = x.get(), t = target.get();
                  std::vector<Tensor> result(2);
                  if (call.needed[0]) result[0] = call.dy * (p - t) / clamp_min(p * (1 - p), 1e-12);
                  if (call.needed[1]) result[1] = call.dy * (log1p(neg(p)) - log(p));
                  return result;
                });
  }
  return y;
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, const Reducer& reduction) {
  check_same_shape("mse_loss", x, target);
  return finish("mse_loss", square(x - target), reduction);
}

Tensor l1_loss(const Tensor& x, const Tensor& target, const Reducer& reduction) {
  check_same_shape("l1_loss", x, target);
  return finish("l1_loss", abs(x - target), reduction);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const Reducer& reduction,
                      std::optional<double> beta) {
  check_same_shape("smooth_l1_loss", x, target);
  check_floating_loss("smooth_l1_loss", x, target);
  const double knee = beta.value_or(1);
  check_non_negative("smooth_l1_loss", "beta", knee);
  if (knee == 0) return l1_loss(x, target, reduction);
  const Tensor difference = x - target, size = abs(difference);
  const Tensor losses = where(lt(size, knee), square(difference) * (0.5 / knee), size - 0.5 * knee);
  return finish("smooth_l1_loss", losses, reduction);
}

Tensor huber_loss(const Tensor& x, const Tensor& target, const Reducer& reduction,
                  std::optional<double> delta) {
  check_same_shape("huber_loss", x, target);
  check_floating_loss("huber_loss", x, target);
  const double knee = delta.value_or(1);
  check_positive("huber_loss", "delta", knee);
  const Tensor difference = x - target, size = abs(difference);
  const Tensor losses = where(le(size, knee), square(difference) * 0.5, (size - 0.5 * knee) * knee);
  return finish("huber_loss", losses, reduction);
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target,
                            const std::optional<Tensor>& weight, const Reducer& reduction) {
  check_same_shape("binary_cross_entropy", x, target);
  check_floating_loss("binary_cross_entropy", x, target);
  const Tensor losses = bernoulli_entropy(x, target);
  return finish("binary_cross_entropy", weight ? losses * *weight : losses, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const std::optional<Tensor>& weight,
                                        const Reducer& reduction,
                                        const std::optional<Tensor>& pos_weight) {
  check_same_shape("binary_cross_entropy_with_logits", x, target);
  const Tensor logarithm = logsigmoid(x);
  Tensor losses = (1 - target) * x;
  losses = losses - (pos_weight ? logarithm * ((*pos_weight - 1) * target + 1) : logarithm);
  return finish("binary_cross_entropy_with_logits", weight ? losses * *weight : losses, reduction);
}

Tensor kl_div(const Tensor& x, const Tensor& target, const Reducer& reduction, bool log_target) {
  check_same_shape("kl_div", x, target);
  check_floating_loss("kl_div", x, target);
  const Tensor losses =
      log_target ? exp(target) * (target - x) : xlogy(target, target) - target * x;
  if (reduction && *reduction == "batchmean") {
    const double samples = x.rank() == 0 ? 1 : static_cast<double>(x.shape()[0]);
    return sum(losses) / samples;
  }
  return finish("kl_div", losses, reduction);
}

namespace {

/// `variance` in a shape that broadcasts against x: one that lacks the last dimension has a value
/// for each row.
Tensor variance_for(const Tensor& x, const TensorOrNumber& given_variance) {
  const Tensor variance = given_variance.tensor.defined()
                              ? given_variance.tensor
                              : full({}, given_variance.number.as_double(),
                                     {.dtype = floating_type(x.dtype()), .device = x.device()});
  const Shape &shape = x.shape(), &variance_shape = variance.shape();
  Shape rows = shape;
  if (rows.rank() > 0) rows.erase(rows.rank() - 1);
  if (variance_shape == shape || variance.numel() == 1) return variance;
  if (variance_shape == rows) return unsqueeze(variance, Dim{-1});
  bool fits = variance_shape.rank() == shape.rank();
  for (int d = 0; fits && d < shape.rank(); ++d)
    fits = variance_shape[d] == shape[d] || variance_shape[d] == 1;
  if (!fits)
    throw ShapeError("gaussian_nll_loss: a variance of shape " + variance_shape.text() +
                     " does not fit " + shape.text() +
                     ": it has the same shape, lacks the last dimension, or has 1");
  return variance;
}

}  // namespace

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const TensorOrNumber& variance,
                         bool full, std::optional<double> eps, const Reducer& reduction) {
  check_same_shape("gaussian_nll_loss", x, target);
  const Tensor broadcastable = variance_for(x, variance);
  const Tensor spread = require("gaussian_nll_loss", Requirement::variance,
                                all(logical_not(lt(detach(broadcastable), 0))), broadcastable);
  // The clamp keeps the loss finite and does not affect the gradient.
  const Tensor held = spread + detach(clamp_min(spread, eps.value_or(1e-6)) - spread);
  Tensor losses = (log(held) + square(x - target) / held) * 0.5;
  if (full) losses = losses + 0.5 * std::log(2 * std::numbers::pi);
  return finish("gaussian_nll_loss", losses, reduction);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, std::optional<double> margin,
                            const Reducer& reduction) {
  broadcast("hinge_embedding_loss", x.shape(), target.shape());
  const Tensor apart = where(eq(target, 1), 0.0, clamp_min(margin.value_or(1) - x, 0));
  const Tensor near = where(eq(target, -1), 0.0, x);
  return finish("hinge_embedding_loss", apart + near, reduction);
}

Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                           std::optional<double> margin, const Reducer& reduction) {
  check_same_rank("margin_ranking_loss", a, b);
  check_same_rank("margin_ranking_loss", a, target);
  broadcast("margin_ranking_loss", broadcast("margin_ranking_loss", a.shape(), b.shape()),
            target.shape());
  const Tensor losses = clamp_min(neg(target) * (a - b) + margin.value_or(0), 0);
  return finish("margin_ranking_loss", losses, reduction);
}

Tensor cosine_embedding_loss(const Tensor& given_a, const Tensor& given_b, const Tensor& target,
                             std::optional<double> margin, const Reducer& reduction) {
  const char* name = "cosine_embedding_loss";
  if (target.rank() > 1 || given_a.rank() != target.rank() + 1 ||
      given_b.rank() != target.rank() + 1)
    throw ShapeError(std::string(name) +
                     ": expected vectors with one target, or rows of vectors with one each, got " +
                     given_a.shape().text() + ", " + given_b.shape().text() + " and " +
                     target.shape().text());
  broadcast(name, given_a.shape(), given_b.shape());
  const DType type = floating_type(common_type(name, given_a, given_b));
  const Tensor a = convert(given_a, compute_type(type)), b = convert(given_b, compute_type(type));
  constexpr double kTiny = 1e-12;  // so that vectors of zeros have an angle
  const Dims along{-1};
  const Tensor lengths = sqrt((sum(a * a, along) + kTiny) * (sum(b * b, along) + kTiny));
  const Tensor angle = sum(a * b, along) / lengths;
  const Tensor apart = clamp_min(angle - margin.value_or(0), 0);
  const Tensor losses = where(eq(target, 1), 1 - angle, where(eq(target, -1), apart, 0.0));
  return finish(name, convert(losses, type), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           std::optional<double> margin, std::optional<double> p,
                           std::optional<double> eps, bool swap, const Reducer& reduction) {
  const char* name = "triplet_margin_loss";
  check_same_rank(name, anchor, positive);
  check_same_rank(name, anchor, negative);
  broadcast(name, broadcast(name, anchor.shape(), positive.shape()), negative.shape());
  check_positive("triplet_margin_loss", "margin", margin.value_or(1));
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  const Tensor losses = clamp_min(near - far + margin.value_or(1), 0);
  return finish("triplet_margin_loss", losses, reduction);
}

}  // namespace tide
