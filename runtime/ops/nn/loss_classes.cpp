// Classification losses. cross_entropy, which reads all scores anyway, compares targets with 1..C
// to get a mask over the classes, so that loss and gradient each take one pass over the rows.
// nll_loss gathers one value per row; its gradient is such a mask.
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/nn/reducer.h"
#include "runtime/ops/nn/softmax.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

struct ClassLoss {
  const char* name;
  bool from_scores;  ///< x are scores, not logarithms of probabilities
  int dim;           ///< of the classes
  double smoothing;
  LossReduction reduction;
  DType type;            ///< of computation
  int64_t ignore_index;  ///< a target that is ignored
};

/// The targets as masks and weights, in shapes that broadcast to x.
struct Targets {
  Tensor chosen;        ///< bool: the target class; all false where ignored
  Tensor weight;        ///< that of the target class, 0 where ignored; in the type of computation
  Tensor valid;         ///< 1 unless ignored, likewise
  Tensor class_weight;  ///< of each class, undefined: 1
};

int64_t classes_of(const ClassLoss& loss, const Tensor& x) { return x.shape()[loss.dim]; }

/// Targets of the shape of x without the classes.
void check_targets(const ClassLoss& loss, const Tensor& x, const Tensor& target,
                   const std::optional<Tensor>& weight) {
  Shape expected_shape = x.shape();
  expected_shape.erase(loss.dim);
  check_shape(loss.name, "targets", target, expected_shape, &x);
  if (weight) check_shape(loss.name, "weights", *weight, {classes_of(loss, x)}, &x);
}

/// Weights of the classes in a shape that broadcasts to x.
Tensor along_classes(const ClassLoss& loss, const Tensor& x, const Tensor& weight) {
  Shape across;
  for (int d = 0; d < x.rank(); ++d) across.push_back(d == loss.dim ? weight.numel() : 1);
  return convert(reshape_to(weight, across), loss.type);
}

/// The name under which targets out of range are reported.
const char* name_of_targets(const ClassLoss& loss) {
  return loss.from_scores ? "cross_entropy targets" : "nll_loss targets";
}

Targets read_targets(const ClassLoss& loss, const Tensor& x, const Tensor& target,
                     const std::optional<Tensor>& weight) {
  const int64_t classes = classes_of(loss, x);
  const Tensor positions = positions_of(loss.name, target);
  const Tensor valid = ne(positions, Number(loss.ignore_index));
  // Everything later depends on the check, so that an invalid batch does not reach the parameters.
  const Tensor checked_targets =
      require_positions(name_of_targets(loss), where(valid, positions, 1), classes);
  const Tensor target_class = unsqueeze(where(valid, checked_targets, 0), Dim{loss.dim});
  Targets t;
  t.chosen = record_map(ElementwiseOp::eq, name_of_targets(loss), DType::boolean, DType::i64,
                        {positions_along(x.rank(), loss.dim, classes, x.device()), target_class});
  t.valid = convert(unsqueeze(valid, Dim{loss.dim}), loss.type);
  t.weight = t.valid;
  if (weight) {
    t.class_weight = along_classes(loss, x, detach(*weight));
    t.weight = sum_over(where(t.chosen, t.class_weight, 0), 1u << loss.dim, true);
  }
  return t;
}

/// The loss of each sample, the classes kept as a dimension of size 1.
Tensor losses_of(const ClassLoss& loss, const Tensor& logarithms, const Targets& t) {
  const unsigned classes = 1u << loss.dim;
  Tensor result = neg(sum_over(where(t.chosen, logarithms, 0), classes, true));
  if (t.class_weight.defined()) result = result * t.weight;
  if (loss.smoothing == 0) return result;
  const Tensor all = t.class_weight.defined() ? logarithms * t.class_weight : logarithms;
  const double share = loss.smoothing / static_cast<double>(classes_of(loss, logarithms));
  return result * (1 - loss.smoothing) - sum_over(all, classes, true) * t.valid * share;
}

/// The gradient of x, for dy of each sample in the kept shape.
Tensor gradient_of(const ClassLoss& loss, const Tensor& logarithms, const Targets& t,
                   const Tensor& dy) {
  const double share = loss.smoothing / static_cast<double>(classes_of(loss, logarithms));
  // With respect to the logarithms: minus a weight for the target class, less for all if smoothed.
  Tensor slope = neg(where(t.chosen, t.weight * (1 - loss.smoothing), 0));
  Tensor total = t.weight * (1 - loss.smoothing);
  if (loss.smoothing != 0) {
    const Tensor each =
        t.class_weight.defined() ? t.class_weight * share * t.valid : t.valid * share;
    slope = slope - each;
    total = total + (t.class_weight.defined() ? sum_over(each, 1u << loss.dim, true)
                                              : t.valid * loss.smoothing);
  }
  // The gradient of log_softmax subtracts the softmax times the sum from every class.
  if (loss.from_scores) slope = slope + exp(logarithms) * total;
  return slope * dy;
}

Tensor logarithms_of(const ClassLoss& loss, const Tensor& x) {
  const Tensor wide = convert(x, loss.type);
  return loss.from_scores ? log_softmax(wide, Dim{loss.dim}) : wide;
}

/// Reduces losses in the kept shape: the result in the type of x, and the divisor of the sum,
/// undefined if there is none.
struct Reduced {
  Tensor y, divisor;
};

Reduced reduce_weighted(const ClassLoss& loss, const Tensor& losses, const Tensor& weight,
                        const Tensor& x, const Shape& shape) {
  if (loss.reduction == LossReduction::none)
    return {convert(reshape_to(losses, shape), x.dtype()), Tensor()};
  const unsigned everything = (1u << x.rank()) - 1;
  const Tensor total = sum_over(losses, everything, false);
  if (loss.reduction == LossReduction::sum) return {convert(total, x.dtype()), Tensor()};
  const Tensor divisor = sum_over(weight, everything, false);
  return {convert(total / divisor, x.dtype()), divisor};
}

/// The gradient of each sample's loss in the kept shape, for that of the result.
Tensor gradient_of_losses(const ClassLoss& loss, const Tensor& result_gradient,
                          const Tensor& divisor) {
  const Tensor dy = convert(result_gradient, loss.type);
  if (loss.reduction == LossReduction::none) return unsqueeze(dy, Dim{loss.dim});
  // Where all targets are ignored, the loss is nan and the gradient is 0.
  return divisor.defined() ? where(eq(divisor, 0), 0, dy / divisor) : dy;
}

/// cross_entropy of targets that are positions.
Tensor score_loss(const ClassLoss& loss, const Tensor& x, const Tensor& target,
                  const std::optional<Tensor>& weight) {
  check_targets(loss, x, target, weight);
  const bool differentiable = needs_grad_fn(x);
  Targets t;
  Tensor logarithms;
  Reduced result;
  {
    GradientMode off(false);
    t = read_targets(loss, x, target, weight);
    logarithms = logarithms_of(loss, x);
    result = reduce_weighted(loss, losses_of(loss, logarithms, t), t.weight, x, target.shape());
  }
  if (!differentiable) return result.y;
  set_grad_fn(
      result.y, loss.name, {x}, false,
      [=, divisor = result.divisor, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
        const Tensor dy = gradient_of_losses(loss, call.dy, divisor);
        // Saved log-probabilities are used unless the gradient itself needs a gradient.
        const Tensor log_probabilities =
            GradientMode::enabled() ? logarithms_of(loss, x.get()) : logarithms;
        return {convert(gradient_of(loss, log_probabilities, t, dy), x.get().dtype())};
      });
  return result.y;
}

/// The loss of each sample in the kept shape, and its weight, or without weights 1 unless it is
/// ignored.
std::pair<Tensor, Tensor> picked_losses(const ClassLoss& loss, const Tensor& x,
                                        const Tensor& target, const std::optional<Tensor>& weight) {
  const Tensor positions = unsqueeze(positions_of(loss.name, target), Dim{loss.dim});
  const Tensor valid = ne(positions, Number(loss.ignore_index));
  const Tensor safe_positions = where(valid, positions, 1);
  const Tensor classes =
      require_positions(name_of_targets(loss), safe_positions, x.shape()[loss.dim], x);
  const Tensor picked = lookup_along(loss.name, x, loss.dim, classes);
  const Tensor losses = where(valid, neg(convert(picked, loss.type)), 0);
  if (!weight) return {losses, valid};
  const Tensor all = convert(detach(*weight), loss.type);
  const Tensor target_weights =
      reshape_to(lookup_along(loss.name, all, 0, ravel(classes)), classes.shape());
  const Tensor weights = where(valid, target_weights, 0);
  return {losses * weights, weights};
}

/// nll_loss.
Tensor logarithm_loss(const ClassLoss& loss, const Tensor& x, const Tensor& target,
                      const std::optional<Tensor>& weight) {
  check_targets(loss, x, target, weight);
  Reduced result;
  {
    GradientMode off(false);
    const auto [losses, weights] = picked_losses(loss, x, target, weight);
    result = reduce_weighted(loss, losses, weights, x, target.shape());
  }
  if (!needs_grad_fn(x)) return result.y;
  set_grad_fn(result.y, loss.name, {x}, false,
              [=, divisor = result.divisor, x = Saved(x), target = Saved(target),
               weight = weight ? std::optional(Saved(*weight))
                               : std::nullopt](const GradientCall& call) -> std::vector<Tensor> {
                const Tensor dy = gradient_of_losses(loss, call.dy, divisor);
                const Tensor like = x.get();
                const Targets t = read_targets(
                    loss, like, target.get(), weight ? std::optional(weight->get()) : std::nullopt);
                return {convert(gradient_of(loss, like, t, dy), like.dtype())};
              });
  return result.y;
}

/// Targets are probabilities of the classes, in the shape of x.
Tensor probability_loss(const ClassLoss& loss, const Tensor& x, const Tensor& target,
                        const std::optional<Tensor>& weight) {
  const double classes = static_cast<double>(classes_of(loss, x));
  Tensor probabilities = convert(target, loss.type);
  if (loss.smoothing != 0)
    probabilities = probabilities * (1 - loss.smoothing) + loss.smoothing / classes;
  if (weight) probabilities = probabilities * along_classes(loss, x, *weight);
  const Tensor losses =
      neg(sum_over(logarithms_of(loss, x) * probabilities, 1u << loss.dim, false));
  const LossReduction reduction = loss.reduction;
  return convert(reduce_loss(losses, reduction), x.dtype());
}

ClassLoss class_loss(const char* name, bool from_scores, const Tensor& x, const Reducer& reduction,
                     double smoothing, std::optional<int64_t> ignore_index) {
  constexpr int64_t kNotIgnored = -100;
  check_floating(name, x.dtype());
  check_min_rank(name, x, 1);
  check_between(name, "label_smoothing", smoothing, 0, 1);
  return {name,
          from_scores,
          x.rank() == 1 ? 0 : 1,
          smoothing,
          loss_reduction(name, reduction),
          compute_type(x.dtype()),
          ignore_index.value_or(kNotIgnored)};
}

}  // namespace

Tensor cross_entropy(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight,
                     std::optional<int64_t> ignore_index, const Reducer& reduction,
                     std::optional<double> label_smoothing) {
  const ClassLoss loss =
      class_loss("cross_entropy", true, x, reduction, label_smoothing.value_or(0), ignore_index);
  if (!is_floating(target.dtype())) return score_loss(loss, x, target, weight);
  if (target.rank() < x.rank())
    throw DTypeError("cross_entropy: targets that are classes must be integers: " +
                     std::string(name_of(target.dtype())) + "; use target:long()");
  check_same_shape("cross_entropy", x, target);
  return probability_loss(loss, x, target, weight);
}

Tensor nll_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight,
                std::optional<int64_t> ignore_index, const Reducer& reduction) {
  return logarithm_loss(class_loss("nll_loss", false, x, reduction, 0, ignore_index), x, target,
                        weight);
}

}  // namespace tide
