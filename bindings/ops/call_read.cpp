// Reads the argument values of a call.
#include <cmath>
#include <utility>

#include "bindings/objects/device_object.h"
#include "bindings/objects/event_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "runtime/ops/shape/shape_ops.h"

namespace tide::bindings {
namespace {

/// The prefix of a reader's error messages: function and parameter.
std::string place(const Call& call, int parameter) {
  return std::string(call.name) + ": " + std::string(call.signature->name(parameter)) + ": ";
}

std::string value_text(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER) return type_name(L, index);
  char text[32];
  snprintf(text, sizeof text, "%.14g", lua_tonumber(L, index));
  return text;
}

int64_t checked_integer(const Call& call, int parameter, int index) {
  int64_t value;
  if (integer_at(call.L, index, &value)) return value;
  throw ArgumentError(place(call, parameter) + "expected an integer, got " +
                      value_text(call.L, index));
}

/// Calls visit(index) for each value of a list: a single value, a table, or variadic arguments.
template <class Visit>
void for_each_value(const Call& call, int parameter, const Visit& visit) {
  lua_State* L = call.L;
  const int first = call.index[parameter];
  if (lua_type(L, first) != LUA_TTABLE) {
    const int count =
        call.rest_count && call.signature->parameters[parameter].rest ? call.rest_count : 1;
    for (int i = 0; i < count; ++i) visit(first + i);
    return;
  }
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, first));
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(L, first, i);
    visit(lua_gettop(L));
    lua_pop(L, 1);
  }
  // Other keys would be ignored silently: options in the wrong table.
  if (length)
    lua_pushinteger(L, length);
  else
    lua_pushnil(L);
  if (lua_next(L, first)) {
    lua_pop(L, 1);
    throw ArgumentError(place(call, parameter) + "the list also has the key '" +
                        (lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : value_text(L, -1)) +
                        "': options go into a table of their own");
  }
}

template <class List>
List read_list(const Call& call, int parameter) {
  List list;
  for_each_value(call, parameter,
                 [&](int index) { list.push_back(checked_integer(call, parameter, index)); });
  return list;
}

int64_t checked_dim(const Call& call, int parameter, int index) {
  const int64_t dim = checked_integer(call, parameter, index);
  if (dim == 0)
    throw ArgumentError(std::string(call.name) + ": dimensions start at 1, got 0 (" +
                        std::string(call.signature->name(parameter)) + ")");
  return dim > 0 ? dim - 1 : dim;
}

std::optional<MemoryFormat> format_at(const Call& call, int index) {
  if (lua_type(call.L, index) != LUA_TSTRING)
    throw_expected(call.L, index, std::string(call.name) + ": memory_format", "a name");
  return memory_format_named(call.name, lua_tostring(call.L, index));
}

DeviceOrIndex device_or_index_at(const Call& call, int parameter, int index) {
  if (lua_type(call.L, index) == LUA_TNUMBER) return checked_integer(call, parameter, index);
  return device_at(call.L, index, call.name);
}

Number number_at(lua_State* L, int index) {
  if (lua_type(L, index) == LUA_TBOOLEAN) return Number(lua_toboolean(L, index) != 0);
  if (lua_isinteger(L, index)) return Number(static_cast<int64_t>(lua_tointeger(L, index)));
  return Number(lua_tonumber(L, index));
}

}  // namespace

bool integer_at(lua_State* L, int index, int64_t* value) {
  int exact;
  *value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &exact) : (exact = 0);
  return exact;
}

DType dtype_at(lua_State* L, int index, const char* function) {
  if (lua_type(L, index) != LUA_TSTRING) throw_expected(L, index, function, kind_text(Kind::dtype));
  const char* text = lua_tostring(L, index);
  if (const auto type = dtype_from_name(text)) return *type;
  std::string known;
  for (int i = kDTypeCount - 1; i >= 0; --i)
    known += " " + std::string(name_of(static_cast<DType>(i)));
  throw ArgumentError(std::string(function) + ": there is no type '" + text + "': known are" +
                      known);
}

Device device_at(lua_State* L, int index, const char* function) {
  if (const Device* device = find<Device>(L, index)) return *device;
  if (lua_type(L, index) == LUA_TSTRING) return device_from_name(lua_tostring(L, index));
  throw_expected(L, index, function, kind_text(Kind::device));
}

Tensor& read_tensor(const Call& call, int parameter) {
  return read_object<Tensor>(call, parameter);
}

TensorOrNumber read_tensor_or_number(const Call& call, int parameter) {
  const int index = call.index[parameter];
  if (const Tensor* tensor = find_tensor(call.L, index)) return *tensor;
  return number_at(call.L, index);
}

Number read_number(const Call& call, int parameter) {
  return number_at(call.L, call.index[parameter]);
}

int64_t read_integer(const Call& call, int parameter) {
  return checked_integer(call, parameter, call.index[parameter]);
}

double read_real(const Call& call, int parameter) {
  return lua_tonumber(call.L, call.index[parameter]);
}

bool read_boolean(const Call& call, int parameter) {
  return lua_toboolean(call.L, call.index[parameter]);
}

std::string_view read_text(const Call& call, int parameter) {
  size_t size;
  const char* text = lua_tolstring(call.L, call.index[parameter], &size);
  return {text, size};
}

Dim read_dim(const Call& call, int parameter) {
  return {checked_dim(call, parameter, call.index[parameter])};
}

Dims read_dims(const Call& call, int parameter) {
  Dims dims;
  for_each_value(call, parameter,
                 [&](int index) { dims.push_back(checked_dim(call, parameter, index)); });
  return dims;
}

DimLists read_dim_lists(const Call& call, int parameter) {
  lua_State* L = call.L;
  DimLists lists;
  for (int i = 0; i < 2; ++i) {
    lua_rawgeti(L, call.index[parameter], i + 1);
    const auto length = static_cast<lua_Integer>(lua_rawlen(L, -1));
    for (lua_Integer k = 1; k <= length; ++k) {
      lua_rawgeti(L, -1, k);
      (i == 0 ? lists.first : lists.second).push_back(checked_dim(call, parameter, lua_gettop(L)));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return lists;
}

Position read_position(const Call& call, int parameter) {
  return {checked_integer(call, parameter, call.index[parameter])};
}

Sizes read_sizes(const Call& call, int parameter) { return read_list<Sizes>(call, parameter); }

Shape read_shape(const Call& call, int parameter) {
  const Sizes sizes = read_list<Sizes>(call, parameter);
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size < 0)
      throw ArgumentError(place(call, parameter) + "sizes must be non-negative, got " +
                          std::to_string(size));
    // The size in bytes must not overflow either, at 8 bytes per element.
    if (size > 0 && __builtin_mul_overflow(count, size, &count)) count = INT64_MAX;
    if (count > INT64_MAX / 8) throw ArgumentError(place(call, parameter) + "too many elements");
  }
  return Shape(std::span<const int64_t>(sizes.begin(), sizes.size()));
}

DType read_dtype(const Call& call, int parameter) {
  return dtype_at(call.L, call.index[parameter], call.name);
}

Device read_device(const Call& call, int parameter) {
  return device_at(call.L, call.index[parameter], call.name);
}

std::vector<Tensor> read_tensors(const Call& call, int parameter) {
  return read_tensor_list(call, parameter);
}

TensorList read_tensor_list(const Call& call, int parameter) {
  TensorList tensors;
  for_each_value(call, parameter, [&](int index) {
    const Tensor* tensor = find_tensor(call.L, index);
    if (!tensor)
      throw ArgumentError(place(call, parameter) + "element " + std::to_string(tensors.size() + 1) +
                          ": expected tensor, got " + type_name(call.L, index));
    tensors.push_back(*tensor);
  });
  return tensors;
}

std::vector<int64_t> read_integers(const Call& call, int parameter) {
  return read_list<std::vector<int64_t>>(call, parameter);
}

std::vector<double> read_reals(const Call& call, int parameter) {
  std::vector<double> values;
  for_each_value(call, parameter, [&](int index) {
    if (lua_type(call.L, index) != LUA_TNUMBER)
      throw ArgumentError(place(call, parameter) + "expected numbers, got " +
                          type_name(call.L, index));
    values.push_back(lua_tonumber(call.L, index));
  });
  return values;
}

std::optional<MemoryFormat> read_memory_format(const Call& call, int parameter) {
  return format_at(call, call.index[parameter]);
}

StreamOrDevice read_stream_or_device(const Call& call, int parameter) {
  if (const StreamObject* stream = find<StreamObject>(call.L, call.index[parameter]))
    return stream->id;
  return read_device(call, parameter);
}

DeviceOrIndex read_device_or_index(const Call& call, int parameter) {
  return device_or_index_at(call, parameter, call.index[parameter]);
}

std::vector<DeviceOrIndex> read_device_list(const Call& call, int parameter) {
  std::vector<DeviceOrIndex> list;
  for_each_value(call, parameter,
                 [&](int index) { list.push_back(device_or_index_at(call, parameter, index)); });
  return list;
}

ConversionTarget read_targets(const Call& call, int parameter) {
  lua_State* L = call.L;
  ConversionTarget target;
  bool* flag = &target.non_blocking;
  const int first = call.index[parameter];
  for (int i = first; i < first + call.rest_count; ++i) {
    const char* const name = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : nullptr;
    if (const auto type = name ? dtype_from_name(name) : std::nullopt) {
      target.dtype = type;
    } else if (const Tensor* tensor = find_tensor(L, i)) {
      target.dtype = tensor->dtype();
      target.device = tensor->device();
    } else if (lua_isboolean(L, i)) {
      *std::exchange(flag, &target.copy) = lua_toboolean(L, i);
    } else if (!lua_isnil(L, i)) {
      target.device = device_at(L, i, call.name);
    }
  }
  return target;
}

Value read_value(const Call& call, int parameter) {
  if (!call.given(parameter)) lua_pushnil(call.L);
  return {call.given(parameter) ? call.index[parameter] : lua_gettop(call.L)};
}

TensorOptions read_options(const Call& call, int parameter) {
  TensorOptions options;
  // New tensors go to the default device unless the first argument is, or may be, a tensor.
  const Kind first = call.signature->parameters[0].kind;
  if (parameter > 0 && first != Kind::tensor && first != Kind::value)
    options.device = default_device();
  if (const int index = call.option[kDTypeOption])
    options.dtype = dtype_at(call.L, index, call.name);
  if (const int index = call.option[kDeviceOption])
    options.device = device_at(call.L, index, call.name);
  if (const int index = call.option[kRequiresGradOption])
    options.requires_grad = lua_toboolean(call.L, index);
  if (const int index = call.option[kPinMemoryOption])
    options.pin_memory = lua_toboolean(call.L, index);
  if (const int index = call.option[kMemoryFormatOption]) options.format = format_at(call, index);
  return options;
}

}  // namespace tide::bindings
