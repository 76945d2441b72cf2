// Converts the arguments of ops under autocast.
#include "bindings/ops/autocast.h"

#include <algorithm>
#include <string_view>

#include "bindings/objects/tensor_object.h"
#include "runtime/ops/elementwise/elementwise.h"

namespace tide::bindings {
namespace {

/// Ops dominated by matrix products: they compute in the half type.
constexpr std::string_view kHalfOps[] = {"addbmm",
                                         "addmm",
                                         "addmv",
                                         "baddbmm",
                                         "bmm",
                                         "conv1d",
                                         "conv2d",
                                         "conv3d",
                                         "conv_transpose1d",
                                         "conv_transpose2d",
                                         "conv_transpose3d",
                                         "einsum",
                                         "linear",
                                         "matmul",
                                         "mm",
                                         "multi_dot",
                                         "mv",
                                         "scaled_dot_product_attention"};

/// Ops that lose digits or overflow in half types: they compute in float32.
constexpr std::string_view kWideOps[] = {"acos",
                                         "asin",
                                         "binary_cross_entropy",
                                         "binary_cross_entropy_with_logits",
                                         "cdist",
                                         "cosh",
                                         "cosine_embedding_loss",
                                         "cosine_similarity",
                                         "cross_entropy",
                                         "cumprod",
                                         "cumsum",
                                         "erfinv",
                                         "exp",
                                         "expm1",
                                         "gaussian_nll_loss",
                                         "group_norm",
                                         "hinge_embedding_loss",
                                         "huber_loss",
                                         "instance_norm",
                                         "interpolate",
                                         "kl_div",
                                         "l1_loss",
                                         "layer_norm",
                                         "log",
                                         "log10",
                                         "log1p",
                                         "log2",
                                         "log_softmax",
                                         "logsumexp",
                                         "margin_ranking_loss",
                                         "mse_loss",
                                         "nll_loss",
                                         "norm",
                                         "normalize",
                                         "pairwise_distance",
                                         "pow",
                                         "prod",
                                         "reciprocal",
                                         "rms_norm",
                                         "rsqrt",
                                         "sinh",
                                         "smooth_l1_loss",
                                         "softmax",
                                         "softmin",
                                         "softplus",
                                         "std",
                                         "sum",
                                         "tan",
                                         "triplet_margin_loss",
                                         "var",
                                         "vector_norm"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The type to convert x to; none if it is unchanged.
std::optional<DType> target_of(const Tensor& x, AutocastRule rule) {
  if (!is_floating(x.dtype()) || x.dtype() == DType::f64) return std::nullopt;
  const std::optional<DType> half = autocast_in_force().type_on(x.device());
  if (!half) return std::nullopt;
  const DType target = rule == AutocastRule::half ? *half : DType::f32;
  return target == x.dtype() ? std::nullopt : std::optional<DType>(target);
}

/// Pushes the converted tensor at `index`; false if it is unchanged.
bool push_converted(lua_State* L, int index, AutocastRule rule) {
  const Tensor* x = find_tensor(L, index);
  if (!x) return false;
  const std::optional<DType> target = target_of(*x, rule);
  if (!target) return false;
  push_tensor(L, convert(*x, *target));
  return true;
}

/// A copy of the list at `index` with its tensors converted.
void push_converted_list(lua_State* L, int index, AutocastRule rule) {
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  lua_createtable(L, static_cast<int>(length), 0);
  const int list = lua_gettop(L);
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(L, index, i);
    if (push_converted(L, lua_gettop(L), rule)) lua_remove(L, -2);
    lua_rawseti(L, list, i);
  }
}

}  // namespace

AutocastRule autocast_rule(const char* name) {
  if (contains(kHalfOps, name)) return AutocastRule::half;
  return contains(kWideOps, name) ? AutocastRule::wide : AutocastRule::none;
}

Autocast& autocast_in_force() {
  static thread_local Autocast autocast;
  return autocast;
}

void autocast_arguments(Call& call, AutocastRule rule) {
  lua_State* L = call.L;
  luaL_checkstack(L, kMaxParameters + 4, "autocast");
  for (int p = 0; p < call.signature->count; ++p) {
    const int index = call.index[p];
    if (!index) continue;
    if (call.signature->parameters[p].kind == Kind::tensors) {
      if (lua_type(L, index) == LUA_TTABLE) {
        push_converted_list(L, index, rule);
        call.index[p] = lua_gettop(L);
      } else {
        // Variadic operands: convert each in place.
        for (int i = index; i < index + std::max(call.rest_count, 1); ++i)
          if (push_converted(L, i, rule)) lua_replace(L, i);
      }
    } else if (push_converted(L, index, rule)) {
      call.index[p] = lua_gettop(L);
    }
  }
}

}  // namespace tide::bindings
