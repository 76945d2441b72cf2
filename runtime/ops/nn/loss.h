// Losses. `reduction` is "mean" (default), "sum" or "none". Predictions and targets must have equal
// shapes, as broadcasting would hide mistakes; only losses of pairs and embeddings broadcast.
#pragma once

#include <optional>
#include <string>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

using Reducer = std::optional<std::string>;

/// Log-likelihood of the target classes (positions), of unnormalized scores x (n, classes, ...);
/// floating targets are probabilities of the classes.
Tensor cross_entropy(const Tensor& x, const Tensor& target,
                     const std::optional<Tensor>& weight = {},
                     std::optional<int64_t> ignore_index = {}, const Reducer& reduction = {},
                     std::optional<double> label_smoothing = {});
/// cross_entropy of log-probabilities.
Tensor nll_loss(const Tensor& x, const Tensor& target, const std::optional<Tensor>& weight = {},
                std::optional<int64_t> ignore_index = {}, const Reducer& reduction = {});

Tensor mse_loss(const Tensor& x, const Tensor& target, const Reducer& reduction = {});
Tensor l1_loss(const Tensor& x, const Tensor& target, const Reducer& reduction = {});
/// Quadratic below `beta`, linear above.
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const Reducer& reduction = {},
                      std::optional<double> beta = {});
Tensor huber_loss(const Tensor& x, const Tensor& target, const Reducer& reduction = {},
                  std::optional<double> delta = {});
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target,
                            const std::optional<Tensor>& weight = {},
                            const Reducer& reduction = {});
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const std::optional<Tensor>& weight = {},
                                        const Reducer& reduction = {},
                                        const std::optional<Tensor>& pos_weight = {});
/// target * (log(target) - x) with x in logarithms; also takes "batchmean".
Tensor kl_div(const Tensor& x, const Tensor& target, const Reducer& reduction = {},
              bool log_target = false);
/// `variance`: of x's shape, with sizes of 1, without the last dimension, or a number. Values below
/// eps (1e-6) are replaced by eps; negative values are errors.
Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const TensorOrNumber& variance,
                         bool full = false, std::optional<double> eps = {},
                         const Reducer& reduction = {});
Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target,
                            std::optional<double> margin = {}, const Reducer& reduction = {});
Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                           std::optional<double> margin = {}, const Reducer& reduction = {});
Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                             std::optional<double> margin = {}, const Reducer& reduction = {});
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           std::optional<double> margin = {}, std::optional<double> p = {},
                           std::optional<double> eps = {}, bool swap = false,
                           const Reducer& reduction = {});

}  // namespace tide
