// Converts tensors to and from raw bytes, and summarizes values.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

int bytes(lua_State* L, const Tensor& x) {
  const size_t size = static_cast<size_t>(x.numel()) * size_of(x.dtype());
  luaL_Buffer content;  // Lua memory, which counts against the limit
  x.read(luaL_buffinitsize(L, &content, size), "bytes");
  luaL_pushresultsize(&content, size);
  return 1;
}

/// The shape with these sizes, one of which may be -1, for `count` elements.
Shape shape_for(const std::optional<Sizes>& given, int64_t count) {
  if (!given) return {count};
  Sizes sizes = *given;
  int64_t known = 1;
  for (const int64_t size : sizes) {
    if (size < -1)
      throw ArgumentError("from_bytes: shape: expected sizes, got " + std::to_string(size));
    if (size >= 0 && __builtin_mul_overflow(known, size, &known)) known = 0;
  }
  for (int i = 0; i < sizes.size(); ++i)
    if (sizes[i] == -1) sizes[i] = known > 0 ? count / std::exchange(known, 0) : 0;
  const Shape shape(std::span<const int64_t>(sizes.begin(), sizes.size()));
  if (shape.numel() != count)
    throw ShapeError("from_bytes: " + std::to_string(count) + " elements do not fill the shape " +
                     shape.text());
  return shape;
}

Tensor from_bytes(std::string_view content, std::optional<DType> dtype,
                  const std::optional<Sizes>& shape, std::optional<Device> device) {
  const DType type = dtype.value_or(DType::u8);
  if (content.size() % size_of(type) != 0)
    throw ShapeError("from_bytes: " + std::to_string(content.size()) +
                     " bytes are not a multiple of the size of " + std::string(name_of(type)));
  const auto count = static_cast<int64_t>(content.size() / size_of(type));
  return record_constant(content.data(), shape_for(shape, count), type,
                         device.value_or(default_device()));
}

/// Statistics of the finite elements of x from a single pass: count, minimum, maximum, sum of the
/// distances from `origin` and of their squares; then the numbers of zeros, nans and infinities.
Tensor summary(const Tensor& x, const Tensor& origin) {
  const Tensor finite = isfinite(x);
  const Tensor wide = convert(x, DType::f64);
  const Tensor distance = where(finite, wide - origin, 0.0);
  const auto count = [](const Tensor& mask) { return convert(sum(mask), DType::f64); };
  return stack({count(finite), amin(where(finite, wide, INFINITY)),
                amax(where(finite, wide, -INFINITY)), sum(distance), sum(square(distance)),
                count(eq(x, 0)), count(isnan(x)), count(isinf(x))});
}

int stats(lua_State* L, const Tensor& x) {
  const GradientMode no_gradients(false);
  lua_createtable(L, 0, 8);
  make_list(L);
  const auto set = [L](const char* name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
  };
  lua_pushinteger(L, x.numel());
  lua_setfield(L, -2, "count");
  if (x.numel() == 0) return 1;
  // Squared distances from one of the values avoid the cancellation of squared values.
  const Tensor first = convert(select(flatten(x), Dim{0}, Position{1}), DType::f64);
  const Tensor origin = where(isfinite(first), first, 0.0);
  double v[9];
  const Tensor all = cat({summary(x, origin), reshape_to(origin, {1})});
  all.read(v, "stats");
  const double total = static_cast<double>(x.numel()), finite = v[0];
  set("min", finite > 0 ? v[1] : NAN);
  set("max", finite > 0 ? v[2] : NAN);
  set("mean", v[8] + v[3] / finite);
  set("std", std::sqrt(std::max(0.0, v[4] - v[3] * v[3] / finite) / (finite - 1)));
  set("zeros", v[5] / total);
  set("nan", v[6] / total);
  set("inf", v[7] / total);
  return 1;
}

constexpr Function kByteMethods[] = {
    typed_method<bytes, "bytes", "x">(
        "The elements as a string, in row-major order and native byte order; waits",
        "#tide.ones(3):bytes() --> 12"),
    typed_method<stats, "stats", "x">(
        "A table: min, max, mean and std of the finite elements, their count, and the fractions of "
        "zeros, nan and inf; waits once",
        "tide.tensor{1.0, 3}:stats().mean --> 2.0"),
};

constexpr Function kByteFunctions[] = {
    typed_function<from_bytes, "from_bytes", "string, dtype?, shape?, {device}">(
        "A tensor of the elements in a string from x:bytes()",
        "tide.from_bytes(\"\\1\\0\\2\\0\", \"int16\") --> {1, 2}"),
};

}  // namespace

std::span<const Function> byte_methods() { return kByteMethods; }
std::span<const Function> byte_functions() { return kByteFunctions; }

}  // namespace tide::bindings
