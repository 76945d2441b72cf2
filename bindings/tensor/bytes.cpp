// Converts tensors to and from raw bytes, and summarizes values.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "bindings/support/list.h"
#include "bindings/support/object.h"
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

int bytes(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "bytes");
  const size_t size = static_cast<size_t>(x.numel()) * size_of(x.dtype());
  luaL_Buffer content;  // Lua memory, which counts against the limit
  x.read(luaL_buffinitsize(L, &content, size), "bytes");
  luaL_pushresultsize(&content, size);
  return 1;
}

/// The shape in the table at an index, one size of which may be -1, for `count` elements.
Shape shape_at(lua_State* L, int index, int64_t count) {
  if (lua_isnoneornil(L, index)) return {count};
  std::vector<int64_t> sizes;
  int64_t known = 1;
  for (lua_Unsigned i = 1; i <= lua_rawlen(L, index); ++i) {
    lua_rawgeti(L, index, static_cast<lua_Integer>(i));
    int64_t size;
    if (!integer_at(L, -1, &size) || size < -1) throw_expected(L, -1, "from_bytes: shape", "sizes");
    lua_pop(L, 1);
    sizes.push_back(size);
    if (size >= 0 && __builtin_mul_overflow(known, size, &known)) known = 0;
  }
  for (int64_t& size : sizes)
    if (size == -1) size = known > 0 ? count / std::exchange(known, 0) : 0;
  const Shape shape(sizes);
  if (shape.numel() != count)
    throw ShapeError("from_bytes: " + std::to_string(count) + " elements do not fill the shape " +
                     shape.text());
  return shape;
}

/// from_bytes(text, dtype [, shape] [, {device}])
int from_bytes(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING) throw_expected(L, 1, "from_bytes", "a string");
  size_t length;
  const char* content = lua_tolstring(L, 1, &length);
  const DType type = lua_isnoneornil(L, 2) ? DType::u8 : dtype_at(L, 2, "from_bytes");
  if (length % size_of(type) != 0)
    throw ShapeError("from_bytes: " + std::to_string(length) +
                     " bytes are not a multiple of the size of " + std::string(name_of(type)));
  const auto count = static_cast<int64_t>(length / size_of(type));
  const bool shape_given = lua_type(L, 3) == LUA_TTABLE && !is_options_table(L, 3);
  const Shape shape = shape_at(L, shape_given ? 3 : lua_gettop(L) + 1, count);
  const TensorOptions options = options_at(L, shape_given ? 4 : 3, "from_bytes");
  push_tensor(L, record_constant(content, shape, type, options.device.value_or(default_device())));
  return 1;
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

int stats(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "stats");
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
    {"bytes", guard<bytes>, "",
     "The elements as a string, in row-major order and native byte order; waits",
     "#tide.ones(3):bytes() --> 12"},
    {"stats", guard<stats>, "",
     "A table: min, max, mean and std of the finite elements, their count, and the fractions of "
     "zeros, nan and inf; waits once",
     "tide.tensor{1.0, 3}:stats().mean --> 2.0"},
};

constexpr Function kByteFunctions[] = {
    {"from_bytes", guard<from_bytes>, "string, dtype?, shape?, {device}",
     "A tensor of the elements in a string from x:bytes()",
     "tide.from_bytes(\"\\1\\0\\2\\0\", \"int16\") --> {1, 2}"},
};

}  // namespace

std::span<const Function> byte_methods() { return kByteMethods; }
std::span<const Function> byte_functions() { return kByteFunctions; }

}  // namespace tide::bindings
