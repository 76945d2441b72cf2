// Tensors from Lua tables and numbers: tide.tensor, tide.from.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/ops/arguments.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/dtype.h"

namespace tide::bindings {
namespace {

/// The values of a nested table in row-major order.
struct Collected {
  Shape shape;
  bool has_float = false, has_integer = false, has_boolean = false;
  std::vector<int64_t> integers;  ///< until the first float
  std::vector<double> floats;     ///< from the first float on

  /// An empty table has floats, as in PyTorch.
  DType natural_type() const {
    if (has_float || !(has_integer || has_boolean)) return default_dtype();
    return has_boolean && !has_integer ? DType::boolean : DType::i64;
  }
};

void add_float(Collected& all, double value) {
  if (!all.has_float) {
    all.has_float = true;
    all.floats.assign(all.integers.begin(), all.integers.end());
  }
  all.floats.push_back(value);
}

/// Adds the number or boolean on top of the stack.
void add_value(lua_State* L, Collected& all, const char* function) {
  int64_t value;
  if (lua_isinteger(L, -1)) {
    all.has_integer = true;
    value = lua_tointeger(L, -1);
  } else if (lua_isboolean(L, -1)) {
    all.has_boolean = true;
    value = lua_toboolean(L, -1);
  } else if (lua_type(L, -1) == LUA_TNUMBER) {
    return add_float(all, lua_tonumber(L, -1));
  } else {
    throw ArgumentError(std::string(function) + ": expected numbers or booleans, got " +
                        type_name(L, -1));
  }
  if (all.has_float)
    all.floats.push_back(static_cast<double>(value));
  else
    all.integers.push_back(value);
}

/// Whether the key on top of the stack is an index into a list of `length` elements.
bool is_position(lua_State* L, lua_Integer length) {
  if (!lua_isinteger(L, -1)) return false;
  const lua_Integer key = lua_tointeger(L, -1);
  return key >= 1 && key <= length;
}

/// Rejects keys other than the `length` list elements in the table on top of the stack.
void check_no_other_keys(lua_State* L, lua_Integer length, const char* function) {
  if (length)
    lua_pushinteger(L, length);
  else
    lua_pushnil(L);
  if (!lua_next(L, -2)) return;
  lua_pop(L, 1);
  if (is_position(L, length)) {  // elements set out of order are not iterated in order
    lua_pop(L, 1);
    lua_pushnil(L);
    do {
      if (!lua_next(L, -2)) return;
      lua_pop(L, 1);
    } while (is_position(L, length));
  }
  throw ArgumentError(std::string(function) + ": a table of numbers has the key '" +
                      (lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : type_name(L, -1)) +
                      "': options go into a table of their own");
}

/// Descends into first elements to find the shape of the table on top of the stack.
Shape find_shape(lua_State* L, const char* function) {
  Shape shape;
  const int top = lua_gettop(L);
  lua_pushvalue(L, -1);
  while (lua_type(L, -1) == LUA_TTABLE) {
    if (shape.rank() == kMaxDims)
      throw ShapeError(std::string(function) + ": tables are nested deeper than the " +
                       std::to_string(kMaxDims) + " dimensions that a tensor can have");
    const auto length = static_cast<lua_Integer>(lua_rawlen(L, -1));
    shape.push_back(length);
    if (length == 0) break;
    lua_rawgeti(L, -1, 1);
  }
  lua_settop(L, top);
  return shape;
}

/// Collects the table or value on top of the stack, starting at dimension `dim`.
void collect(lua_State* L, Collected& all, int dim, const char* function) {
  const bool is_table = lua_type(L, -1) == LUA_TTABLE;
  if (!is_table && dim == all.shape.rank()) return add_value(L, all, function);
  const lua_Integer length = is_table ? static_cast<lua_Integer>(lua_rawlen(L, -1)) : 0;
  if (!is_table || dim == all.shape.rank() || length != all.shape[dim])
    throw ShapeError(std::string(function) + ": rows differ in length or depth: " +
                     (is_table ? "a table of " + std::to_string(length) : type_name(L, -1)) +
                     " where " +
                     (dim == all.shape.rank() ? std::string("a number")
                                              : "a table of " + std::to_string(all.shape[dim])) +
                     " belongs");
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(L, -1, i);
    collect(L, all, dim + 1, function);
    lua_pop(L, 1);
  }
  check_no_other_keys(L, length, function);
}

/// A tensor of the requested type, or of the natural one.
Tensor make_tensor(const Collected& all, const TensorOptions& options, const char* function) {
  const DType natural = all.natural_type();
  const DType type = options.dtype.value_or(natural);
  const Device device = options.device.value_or(default_device());
  if (is_integer(type) && type != natural) {
    for (const double value : all.floats) check_fits(function, value, type);
    if (!all.has_float)
      for (const int64_t value : all.integers) check_fits(function, value, type);
  }
  Tensor x;
  if (all.has_float && type == DType::f32) {
    const std::vector<float> narrow(all.floats.begin(), all.floats.end());
    x = record_constant(narrow.data(), all.shape, DType::f32, device);
  } else if (all.has_float) {
    x = record_constant(all.floats.data(), all.shape, DType::f64, device);
  } else if (natural == DType::boolean) {
    const std::vector<uint8_t> bytes(all.integers.begin(), all.integers.end());
    x = record_constant(bytes.data(), all.shape, DType::boolean, device);
  } else {
    x = record_constant(all.integers.data(), all.shape, DType::i64, device);
  }
  return x.dtype() == type ? x : convert(x, type);
}

/// A copy of a tensor, without a grad function.
Tensor copy_tensor(const Tensor& source, const TensorOptions& options) {
  const GradientMode no_gradients(false);
  Tensor x = source;
  if (options.device && !(*options.device == x.device())) x = record_transfer(x, *options.device);
  if (options.dtype && *options.dtype != x.dtype()) x = convert(x, *options.dtype);
  return x == source ? clone(x) : x;
}

/// The tensor of a value.
int construct(lua_State* L, const char* function, Value data, const TensorOptions& options) {
  Tensor x;
  if (const Tensor* source = find_tensor(L, data.index)) {
    x = copy_tensor(*source, options);
  } else {
    Collected all;
    luaL_checkstack(L, 2 * kMaxDims + 8, function);
    lua_pushvalue(L, data.index);
    all.shape = find_shape(L, function);
    collect(L, all, 0, function);
    x = make_tensor(all, options, function);
  }
  push_tensor(L, finish(std::move(x), options));
  return 1;
}

int tensor(lua_State* L, Value data, const TensorOptions& options) {
  return construct(L, "tensor", data, options);
}

int from(lua_State* L, Value data, const TensorOptions& options) {
  return construct(L, "from", data, options);
}

int new_tensor(lua_State* L, const Tensor& x, Value data, TensorOptions options) {
  if (!options.dtype) options.dtype = x.dtype();
  if (!options.device) options.device = x.device();
  return construct(L, "new_tensor", data, options);
}

constexpr Function kConstructionFunctions[] = {
    typed_function<tensor, "tensor", "data, {dtype, device, requires_grad, pin_memory}">(
        "A new tensor with the values of nested tables, of a number, or of another tensor",
        "tide.tensor({{1, 2}, {3, 4}}, {dtype = \"float32\"}) --> {{1.0, 2.0}, {3.0, 4.0}}"),
    typed_function<from, "from", "data, {dtype, device, requires_grad}">(
        "Same as tide.tensor", "tide.from{1, 2} --> {1, 2}"),
};

constexpr Function kConstructionMethods[] = {
    typed_method<new_tensor, "new_tensor", "x, data, {dtype, device, requires_grad, pin_memory}">(
        "Like tide.tensor, with the type and device of x as defaults",
        "tide.ones(2):new_tensor{1, 2} --> {1.0, 2.0}"),
};

}  // namespace

std::span<const Function> construction_methods() { return kConstructionMethods; }
std::span<const Function> construction_functions() { return kConstructionFunctions; }

}  // namespace tide::bindings
