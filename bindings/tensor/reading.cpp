// Reads values of tensors: item, tolist.
#include <cstring>

#include "bindings/ops/typed_function.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/ir/interpreter/interpreted_memory.h"

namespace tide::bindings {

HostValues::HostValues(const Tensor& x, const char* reason)
    : type_(compute_type(x.dtype())), count_(x.numel()) {
  bytes_.resize(static_cast<size_t>(count_) * size_of(x.dtype()));
  x.read(bytes_.data(), reason);
  if (!is_narrow(x.dtype())) return;
  std::string wide(static_cast<size_t>(count_) * size_of(type_), '\0');
  interpreted::load_of(x.dtype())(bytes_.data(), 1, wide.data(), count_);
  bytes_ = std::move(wide);
}

namespace {

template <class T>
T load(const std::string& bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

bool HostValues::boolean_at(int64_t i) const { return bytes_[i] != 0; }

int64_t HostValues::integer_at(int64_t i) const {
  switch (type_) {
    case DType::boolean:
    case DType::u8:
      return load<uint8_t>(bytes_, i);
    case DType::i8:
      return load<int8_t>(bytes_, i);
    case DType::i16:
      return load<int16_t>(bytes_, i);
    case DType::i32:
      return load<int32_t>(bytes_, i);
    case DType::i64:
      return load<int64_t>(bytes_, i);
    default:
      return static_cast<int64_t>(real_at(i));
  }
}

double HostValues::real_at(int64_t i) const {
  if (type_ == DType::f64) return load<double>(bytes_, i);
  if (type_ == DType::f32) return load<float>(bytes_, i);
  return static_cast<double>(integer_at(i));
}

void HostValues::push(lua_State* L, int64_t i) const {
  if (type_ == DType::boolean)
    lua_pushboolean(L, boolean_at(i));
  else if (is_integer(type_))
    lua_pushinteger(L, integer_at(i));
  else
    lua_pushnumber(L, real_at(i));
}

namespace {

int item(lua_State* L, const Tensor& x) {
  if (x.numel() != 1)
    throw ShapeError("item: expected one element, got " + std::to_string(x.numel()) + ": shape " +
                     x.shape().text());
  HostValues(x, "item").push(L, 0);
  return 1;
}

/// Pushes the elements of dimension `dim` and below as nested tables, starting at element `next`.
void push_nested(lua_State* L, const HostValues& values, const Shape& shape, int dim,
                 int64_t& next) {
  if (dim == shape.rank()) {
    values.push(L, next++);
    return;
  }
  lua_createtable(L, static_cast<int>(shape[dim]), 0);
  for (int64_t i = 1; i <= shape[dim]; ++i) {
    push_nested(L, values, shape, dim + 1, next);
    lua_rawseti(L, -2, i);
  }
  make_list(L);
}

int tolist(lua_State* L, const Tensor& x) {
  luaL_checkstack(L, kMaxDims + 2, "tolist");
  int64_t next = 0;
  push_nested(L, HostValues(x, "tolist"), x.shape(), 0, next);
  return 1;
}

constexpr Function kReadingMethods[] = {
    typed_method<item, "item", "x">("The only element as a Lua value; waits for it",
                                    "tide.tensor(5):item() --> 5"),
    typed_method<tolist, "tolist", "x">(
        "All elements as nested tables, or one value; waits for them",
        "#tide.tensor{{1, 2}, {3, 4}}:tolist() --> 2"),
    typed_method<tolist, "totable", "x">("Same as tolist", "tide.tensor{1, 2}:totable()[2] --> 2"),
};

}  // namespace

std::span<const Function> reading_methods() { return kReadingMethods; }

}  // namespace tide::bindings
