// Normalization: one core, which computes statistics over a set of dimensions, and the ops built on
// it.
#include "runtime/ops/nn/normalization.h"

#include <algorithm>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The parameters of a normalization.
struct Plan {
  const char* name;
  unsigned dims;  ///< statistics are taken over these
  double count;   ///< number of elements of each statistic
  double eps;
  bool centered;  ///< subtracts the mean; rms_norm does not
};

/// Statistics in the computation type, with dimensions kept.
struct Statistics {
  Tensor mean;      ///< undefined unless centered
  Tensor variance;  ///< or mean square
  Tensor scale;     ///< 1 / sqrt(variance + eps)
};

/// Differentiable in gradient mode: `x` is in the computation type.
Statistics statistics(const Plan& plan, const Tensor& x) {
  Statistics s;
  Tensor distance = x;
  if (plan.centered) {
    s.mean = sum_over(x, plan.dims, true) / plan.count;
    distance = x - s.mean;
  }
  s.variance = sum_over(square(distance), plan.dims, true) / plan.count;
  s.scale = rsqrt(s.variance + plan.eps);
  return s;
}

Tensor normalized(const Statistics& s, const Tensor& x) {
  return (s.mean.defined() ? x - s.mean : x) * s.scale;
}

/// Inputs of the gradients of one normalization.
struct Backward {
  Plan plan;
  Saved x;
  Tensor mean, scale;  ///< of the forward pass, without a grad function
  std::optional<Saved> weight;
  Shape bias_shape;

  std::vector<Tensor> operator()(const GradientCall& call) const;

 private:
  bool weight_is_constant() const;
  std::vector<Tensor> from_sums(const GradientCall& call, const Statistics& s, const Tensor& wide,
                                const Tensor& dy) const;
};

/// Whether all elements of a statistic have the same weight.
bool Backward::weight_is_constant() const {
  if (!weight) return true;
  const Shape &shape = weight->get().shape(), &whole = x.get().shape();
  if (shape.rank() != whole.rank()) return false;
  for (int d = 0; d < whole.rank(); ++d)
    if ((plan.dims >> d & 1) && shape[d] != 1) return false;
  return true;
}

/// With a constant weight, all three gradients use the sums of dy and dy * unit, and dx = (dy -
/// mean(dy) - unit * mean(dy * unit)) * weight * scale. `unit` is recomputed for dx, which is
/// cheaper than storing it.
std::vector<Tensor> Backward::from_sums(const GradientCall& call, const Statistics& s,
                                        const Tensor& wide, const Tensor& dy) const {
  const DType stored = x.get().dtype(), type = wide.dtype();
  std::vector<Tensor> result(call.needed.size());
  const Tensor along = sum_over(dy * normalized(s, wide), plan.dims, true);
  const Tensor total = sum_over(dy, plan.dims, true);
  if (call.needed[0]) {
    const Tensor distance = plan.centered ? wide - s.mean : wide;
    Tensor dx = plan.centered ? dy - total / plan.count : dy;
    dx = dx - distance * (along / plan.count * s.scale);
    const Tensor slope = weight ? convert(weight->get(), type) * s.scale : s.scale;
    result[0] = convert(dx * slope, stored);
  }
  size_t next = 1;
  if (weight) {
    const Tensor& w = weight->get();
    if (call.needed[next]) result[next] = convert(sum_to(along, w.shape()), w.dtype());
    ++next;
  }
  if (next < result.size() && call.needed[next])
    result[next] = convert(sum_to(total, bias_shape), stored);
  return result;
}

std::vector<Tensor> Backward::operator()(const GradientCall& call) const {
  const DType stored = x.get().dtype(), type = compute_type(stored);
  const Tensor wide = convert(x.get(), type), dy = convert(call.dy, type);
  // The statistics of the forward pass are used, unless second derivatives need them recomputed.
  const Statistics s =
      GradientMode::enabled() ? statistics(plan, wide) : Statistics{mean, Tensor(), scale};
  if (weight_is_constant()) return from_sums(call, s, wide, dy);
  const Tensor unit = normalized(s, wide);
  std::vector<Tensor> result(call.needed.size());
  if (call.needed[0]) {
    const Tensor slope = weight ? dy * convert(weight->get(), type) : dy;
    const Tensor along = sum_over(slope * unit, plan.dims, true) / plan.count;
    Tensor dx = slope - unit * along;
    if (plan.centered) dx = dx - sum_over(slope, plan.dims, true) / plan.count;
    result[0] = convert(dx * s.scale, stored);
  }
  size_t next = 1;
  if (weight) {
    const Tensor& w = weight->get();
    if (call.needed[next]) result[next] = convert(sum_to(dy * unit, w.shape()), w.dtype());
    ++next;
  }
  if (next < result.size() && call.needed[next])
    result[next] = convert(sum_to(dy, bias_shape), stored);
  return result;
}

/// Whether the weight varies over some but not all of the dimensions of a statistic: the channels
/// of a group.
bool varies_in_part(const Plan& plan, const Tensor& weight, const Tensor& x) {
  bool varies = false, constant = false;
  if (weight.rank() != x.rank()) return false;
  for (int d = 0; d < x.rank(); ++d) {
    if (!(plan.dims >> d & 1) || x.shape()[d] == 1) continue;
    (weight.shape()[d] == 1 ? constant : varies) = true;
  }
  return varies && constant;
}

/// Normalizes x; weight and bias broadcast to it, undefined ones are skipped. `used` receives the
/// statistics.
Tensor normalize_core(const Plan& plan, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      Statistics* used = nullptr) {
  const DType type = compute_type(x.dtype());
  Statistics s;
  Tensor y;
  {
    GradientMode off(false);
    const Tensor wide = convert(x, type);
    s = statistics(plan, wide);
    if (plan.centered && weight.defined() && bias.defined() && varies_in_part(plan, weight, x)) {
      // Such a weight cannot be applied in the loop over a row. In this form no intermediate of the
      // size of x is stored.
      const Tensor slope = s.scale * convert(weight, type);
      y = wide * slope + (convert(bias, type) - s.mean * slope);
    } else {
      y = normalized(s, wide);
      if (weight.defined()) y = y * convert(weight, type);
      if (bias.defined()) y = y + convert(bias, type);
    }
    y = convert(y, x.dtype());
  }
  if (used) *used = s;
  std::vector<Tensor> inputs{x};
  if (weight.defined()) inputs.push_back(weight);
  if (bias.defined()) inputs.push_back(bias);
  if (std::any_of(inputs.begin(), inputs.end(), needs_grad_fn)) {
    Backward backward{plan,    Saved(x),     s.mean,
                      s.scale, std::nullopt, bias.defined() ? bias.shape() : Shape()};
    if (weight.defined()) backward.weight.emplace(weight);
    set_grad_fn(y, plan.name, inputs, false, std::move(backward));
  }
  return y;
}

/// Checks a tensor of one value per channel, and reshapes it to broadcast over x.
Tensor per_channel(const char* name, const char* what, const OptionalTensor& values,
                   const Tensor& x) {
  if (!values) return Tensor();
  const int64_t channels = x.shape()[1];
  check_shape(name, what, *values, {channels}, &x);
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) shape.push_back(d == 1 ? channels : 1);
  return reshape_to(*values, shape);
}

/// The last dimensions of x, which must match `shape`, as bits.
unsigned last_dims(const char* name, const Tensor& x, const Shape& shape,
                   const OptionalTensor& weight, const OptionalTensor& bias) {
  const int first = x.rank() - shape.rank();
  bool fits = shape.rank() > 0 && first >= 0;
  for (int d = 0; fits && d < shape.rank(); ++d) fits = x.shape()[first + d] == shape[d];
  if (!fits)
    throw ShapeError(std::string(name) + ": the input of shape " + x.shape().text() +
                     " does not end in " + shape.text());
  for (const OptionalTensor* values : {&weight, &bias})
    if (*values) check_shape(name, "weight and bias", **values, shape);
  return ((1u << x.rank()) - 1) & ~((1u << first) - 1);
}

Tensor or_none(const OptionalTensor& x) { return x ? *x : Tensor(); }

/// running = (1 - momentum) * running + momentum * value, in place and without a grad function.
void update_running(const char* name, const Tensor& running, const Tensor& value, double momentum) {
  GradientMode off(false);
  const Tensor current = reshape_to(value, running.shape());
  record_write(name, running, running * (1 - momentum) + current * momentum);
}

/// Normalizes with given statistics per channel.
Tensor normalize_by(const Tensor& x, const Tensor& mean, const Tensor& variance,
                    const Tensor& weight, const Tensor& bias, double eps) {
  const DType type = compute_type(x.dtype());
  Tensor y = (convert(x, type) - convert(mean, type)) * rsqrt(convert(variance, type) + eps);
  if (weight.defined()) y = y * convert(weight, type);
  if (bias.defined()) y = y + convert(bias, type);
  return convert(y, x.dtype());
}

/// Batch statistics over `dims`; also updates the running statistics.
Tensor normalize_batch(const Plan& plan, const Tensor& x, const OptionalTensor& running_mean,
                       const OptionalTensor& running_var, const Tensor& weight, const Tensor& bias,
                       double momentum) {
  Statistics s;
  const Tensor y = normalize_core(plan, x, weight, bias, &s);
  // One value per channel: instance_norm has one per sample as well, and uses their mean.
  const auto per_channel_value = [&](const Tensor& value) {
    return value.shape()[0] > 1 ? sum_over(value, 1, true) / static_cast<double>(value.shape()[0])
                                : value;
  };
  if (running_mean) update_running(plan.name, *running_mean, per_channel_value(s.mean), momentum);
  if (running_var) {
    const double unbiased = plan.count / (plan.count - 1);
    update_running(plan.name, *running_var, per_channel_value(s.variance * unbiased), momentum);
  }
  return y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& shape, const OptionalTensor& weight,
                  const OptionalTensor& bias, std::optional<double> eps) {
  check_floating("layer_norm", x.dtype());
  const unsigned dims = last_dims("layer_norm", x, shape, weight, bias);
  const Plan plan{"layer_norm", dims, static_cast<double>(shape.numel()), eps.value_or(1e-5), true};
  return normalize_core(plan, x, or_none(weight), or_none(bias));
}

Tensor rms_norm(const Tensor& x, const Shape& shape, const OptionalTensor& weight,
                std::optional<double> eps) {
  check_floating("rms_norm", x.dtype());
  const unsigned dims = last_dims("rms_norm", x, shape, weight, {});
  // Half types are computed in f32.
  const double smallest = x.dtype() == DType::f64 ? 0x1p-52 : 0x1p-23;
  const Plan plan{"rms_norm", dims, static_cast<double>(shape.numel()), eps.value_or(smallest),
                  false};
  return normalize_core(plan, x, or_none(weight), Tensor());
}

Tensor group_norm(const Tensor& x, int64_t groups, const OptionalTensor& weight,
                  const OptionalTensor& bias, std::optional<double> eps) {
  check_floating("group_norm", x.dtype());
  check_min_rank("group_norm", x, 2);
  const int64_t samples = x.shape()[0], channels = x.shape()[1];
  if (groups <= 0 || channels % groups != 0)
    throw ShapeError("group_norm: " + std::to_string(channels) + " channels do not divide into " +
                     std::to_string(groups) + " groups");
  const Tensor w = per_channel("group_norm", "weight", weight, x);
  const Tensor b = per_channel("group_norm", "bias", bias, x);
  int64_t spatial = 1;
  for (int d = 2; d < x.rank(); ++d) spatial *= x.shape()[d];
  const int64_t size = channels / groups;
  const Shape affine{1, groups, size, 1};
  const Plan plan{"group_norm", 0b1100, static_cast<double>(size * spatial), eps.value_or(1e-5),
                  true};
  if (x.numel() > 0 && samples * size * spatial == 1)
    throw ShapeError("group_norm: expected more than one value for each group, got " +
                     x.shape().text());
  const Tensor y = normalize_core(plan, reshape_to(x, {samples, groups, size, spatial}),
                                  w.defined() ? reshape_to(w, affine) : w,
                                  b.defined() ? reshape_to(b, affine) : b);
  return reshape_to(y, x.shape());
}

Tensor batch_norm(const Tensor& x, const OptionalTensor& running_mean,
                  const OptionalTensor& running_var, const OptionalTensor& weight,
                  const OptionalTensor& bias, bool training, std::optional<double> momentum,
                  std::optional<double> eps) {
  check_floating("batch_norm", x.dtype());
  if (x.rank() < 2) {
    if (x.numel() == 0) return clone(x);
    throw ShapeError("batch_norm: expected samples and channels, got " + x.shape().text());
  }
  const Tensor mean = per_channel("batch_norm", "running_mean", running_mean, x);
  const Tensor variance = per_channel("batch_norm", "running_var", running_var, x);
  const Tensor w = per_channel("batch_norm", "weight", weight, x);
  const Tensor b = per_channel("batch_norm", "bias", bias, x);
  if (x.numel() == 0) {  // there are no statistics; gradients of weight and bias are 0
    Tensor y = clone(x);
    if (w.defined()) y = y * convert(w, x.dtype());
    if (b.defined()) y = y + convert(b, x.dtype());
    return y;
  }
  if (!training) {
    if (!mean.defined() || !variance.defined())
      throw Error("batch_norm: running statistics are required outside of training");
    return normalize_by(x, mean, variance, w, b, eps.value_or(1e-5));
  }
  const unsigned dims = ((1u << x.rank()) - 1) & ~2u;
  const int64_t count = reduced_count(x.shape(), dims);
  if (count == 1)
    throw ShapeError("batch_norm: expected more than one value for each channel in training, got " +
                     x.shape().text());
  const Plan plan{"batch_norm", dims, static_cast<double>(count), eps.value_or(1e-5), true};
  return normalize_batch(plan, x, running_mean, running_var, w, b, momentum.value_or(0.1));
}

Tensor instance_norm(const Tensor& x, const OptionalTensor& running_mean,
                     const OptionalTensor& running_var, const OptionalTensor& weight,
                     const OptionalTensor& bias, std::optional<bool> use_input_stats,
                     std::optional<double> momentum, std::optional<double> eps) {
  check_floating("instance_norm", x.dtype());
  check_min_rank("instance_norm", x, 3);
  const Tensor mean = per_channel("instance_norm", "running_mean", running_mean, x);
  const Tensor variance = per_channel("instance_norm", "running_var", running_var, x);
  const Tensor w = per_channel("instance_norm", "weight", weight, x);
  const Tensor b = per_channel("instance_norm", "bias", bias, x);
  if (!use_input_stats.value_or(true)) {
    if (!mean.defined() || !variance.defined())
      throw Error("instance_norm: running statistics are required without input statistics");
    return normalize_by(x, mean, variance, w, b, eps.value_or(1e-5));
  }
  const unsigned dims = ((1u << x.rank()) - 1) & ~3u;
  const int64_t count = reduced_count(x.shape(), dims);
  if (count == 1)
    throw ShapeError("instance_norm: expected more than one value for each channel, got " +
                     x.shape().text());
  const Plan plan{"instance_norm", dims, static_cast<double>(count), eps.value_or(1e-5), true};
  return normalize_batch(plan, x, running_mean, running_var, w, b, momentum.value_or(0.1));
}

}  // namespace tide
