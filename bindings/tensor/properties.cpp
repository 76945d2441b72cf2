// Properties of a tensor, which are available without waiting for its values.
#include <string>
#include <string_view>
#include <utility>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/ops/stand_in.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/ops/checks.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/dtype.h"

namespace tide::bindings {
namespace {

/// The dimension, from 0, given by the argument at `index`.
int checked_dim(lua_State* L, int index, const Tensor& x, const char* function) {
  int64_t dim;
  if (!integer_at(L, index, &dim))
    throw_expected(L, index, std::string(function) + ": argument 2 (dim)", "dimension");
  if (dim == 0) throw ArgumentError(std::string(function) + ": dimensions start at 1, got 0");
  const int rank = x.rank();
  if (dim > rank || dim < -rank)
    throw ShapeError(std::string(function) + ": no dimension " + std::to_string(dim) +
                     " in shape " + x.shape().text());
  return static_cast<int>(dim > 0 ? dim - 1 : dim + rank);
}

/// The value of the given dimension, or a table of all.
template <class Get>
int one_or_all(lua_State* L, const char* function, const Get& get) {
  const Tensor& x = check_tensor(L, 1, function);
  if (!lua_isnoneornil(L, 2)) {
    lua_pushinteger(L, get(x, checked_dim(L, 2, x, function)));
    return 1;
  }
  lua_createtable(L, x.rank(), 0);
  for (int d = 0; d < x.rank(); ++d) {
    lua_pushinteger(L, get(x, d));
    lua_rawseti(L, -2, d + 1);
  }
  make_list(L);
  return 1;
}

int size(lua_State* L) {
  return one_or_all(L, "size", [](const Tensor& x, int d) { return x.shape()[d]; });
}

int stride(lua_State* L) {
  return one_or_all(L, "stride", [](const Tensor& x, int d) { return x.layout().strides[d]; });
}

int dim(lua_State* L) {
  lua_pushinteger(L, check_tensor(L, 1, "dim").rank());
  return 1;
}

int numel(lua_State* L) {
  lua_pushinteger(L, check_tensor(L, 1, "numel").numel());
  return 1;
}

int element_size(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(size_of(check_tensor(L, 1, "element_size").dtype())));
  return 1;
}

int storage_offset(lua_State* L) {
  lua_pushinteger(L, check_tensor(L, 1, "storage_offset").layout().offset);
  return 1;
}

int is_contiguous(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "is_contiguous");
  if (lua_istable(L, 2)) {
    lua_getfield(L, 2, "memory_format");
    lua_replace(L, 2);
  }
  const auto format = lua_isnoneornil(L, 2) ? std::nullopt : format_at(L, 2, "is_contiguous");
  const Layout& layout = x.layout();
  lua_pushboolean(L, format == MemoryFormat::channels_last
                         ? x.rank() == 4 && with_channels_last(layout).is_contiguous()
                         : layout.is_contiguous());
  return 1;
}

int is_floating_point(lua_State* L) {
  lua_pushboolean(L, is_floating(check_tensor(L, 1, "is_floating_point").dtype()));
  return 1;
}

int is_cuda(lua_State* L) {
  lua_pushboolean(L, check_tensor(L, 1, "is_cuda").device().kind == DeviceKind::cuda);
  return 1;
}

int is_cpu(lua_State* L) {
  lua_pushboolean(L, check_tensor(L, 1, "is_cpu").device().is_host());
  return 1;
}

/// The index of the device, from 0; -1 for the cpu.
int get_device(lua_State* L) {
  const Device device = check_tensor(L, 1, "get_device").device();
  lua_pushinteger(L, device.is_host() ? -1 : device.index);
  return 1;
}

int is_pinned(lua_State* L) {
  lua_pushboolean(L, is_pinned(check_tensor(L, 1, "is_pinned")));
  return 1;
}

int is_tensor(lua_State* L) {
  lua_pushboolean(L, find_tensor(L, 1) != nullptr || is_stand_in(L, 1));
  return 1;
}

int push_type(lua_State* L, DType type) {
  const std::string_view name = name_of(type);
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

int get_default_dtype(lua_State* L) { return push_type(L, default_dtype()); }

void set_default_dtype(DType dtype) {
  check_floating("set_default_dtype", dtype);
  tide::set_default_dtype(dtype);
}

std::string promote_types(DType a, DType b) { return std::string(name_of(promote(a, b))); }

/// The type of the tensor or number at an index, and its weight in type promotion.
std::pair<DType, Weight> operand_at(lua_State* L, int index) {
  if (const Tensor* x = find_tensor(L, index))
    return {x->dtype(), x->rank() ? Weight::dimensioned : Weight::scalar};
  if (lua_isboolean(L, index)) return {DType::boolean, Weight::number};
  if (lua_type(L, index) != LUA_TNUMBER)
    throw_expected(L, index, "result_type", "tensor or number");
  return {lua_isinteger(L, index) ? DType::i64 : default_dtype(), Weight::number};
}

/// result_type(a, b): the type of arithmetic between tensors and numbers.
int result_type(lua_State* L) {
  const auto [a, weight_a] = operand_at(L, 1);
  const auto [b, weight_b] = operand_at(L, 2);
  return push_type(L, promote(a, weight_a, b, weight_b));
}

/// can_cast(from, to): whether a result of type `from` can be written to a tensor of type `to`.
bool can_cast(DType from, DType to) {
  const auto category = [](DType type) { return is_floating(type) ? 2 : is_integer(type) ? 1 : 0; };
  return category(from) <= category(to);
}

constexpr Function kQuestionMethods[] = {
    {"size", guard_lookup<size>, "dim?", "Size of one dimension, or a table of all",
     "tide.ones(2, 3):size(2) --> 3"},
    {"dim", guard_lookup<dim>, "", "Number of dimensions", "tide.ones(2, 3):dim() --> 2"},
    {"ndimension", guard_lookup<dim>, "", "Number of dimensions",
     "tide.ones(2, 3):ndimension() --> 2"},
    {"numel", guard_lookup<numel>, "", "Number of elements", "tide.ones(2, 3):numel() --> 6"},
    {"nelement", guard_lookup<numel>, "", "Number of elements", "tide.ones(2, 3):nelement() --> 6"},
    {"stride", guard_lookup<stride>, "dim?",
     "The stride of a dimension in elements, or a table of all",
     "tide.ones(2, 3):stride() --> {3, 1}"},
    {"storage_offset", guard_lookup<storage_offset>, "",
     "Offset of the first element in the storage",
     "tide.arange(4)[{{2, 4}}]:storage_offset() --> 1"},
    {"element_size", guard_lookup<element_size>, "", "Bytes of one element",
     "tide.ones(2):element_size() --> 4"},
    {"is_contiguous", guard_lookup<is_contiguous>, "memory_format?",
     "Whether the elements are in row-major order without gaps, or in the order of the given "
     "format",
     "tide.ones(2, 3):t():is_contiguous() --> false"},
    {"is_floating_point", guard_lookup<is_floating_point>, "", "Whether the type is a float type",
     "tide.tensor{1, 2}:is_floating_point() --> false"},
    {"is_cuda", guard_lookup<is_cuda>, "", "Whether x is on a CUDA device",
     "tide.ones(2):is_cuda() --> false"},
    {"is_cpu", guard_lookup<is_cpu>, "", "Whether x is on the cpu",
     "tide.ones(2):is_cpu() --> true"},
    {"get_device", guard_lookup<get_device>, "", "The index of the device, -1 for the cpu",
     "tide.ones(2):get_device() --> -1"},
    {"is_pinned", guard_lookup<is_pinned>, "", "Whether x is in pinned memory",
     "tide.ones(2):is_pinned() --> false"},
};

constexpr Function kPropertyFunctions[] = {
    {"is_tensor", guard_lookup<is_tensor>, "value", "Whether a value is a tensor",
     "tide.is_tensor(5) --> false"},
    {"numel", guard_lookup<numel>, "x", "Number of elements", "tide.numel(tide.ones(2, 3)) --> 6"},
    typed_function<set_default_dtype, "set_default_dtype", "dtype">(
        "Sets the default floating type, of new tensors and of integers converted to floating "
        "point (float32)",
        "tide.set_default_dtype(\"float64\"); local x = tide.ones(2); "
        "tide.set_default_dtype(\"float32\"); x.dtype --> \"float64\""),
    {"get_default_dtype", guard_lookup<get_default_dtype>, "", "The floating type of new tensors",
     "tide.get_default_dtype() --> \"float32\""},
    typed_function<promote_types, "promote_types", "dtype1, dtype2">(
        "The type of arithmetic between tensors of two types",
        "tide.promote_types(\"int64\", \"float16\") --> \"float16\""),
    {"result_type", guard_lookup<result_type>, "x, other",
     "The type of arithmetic between tensors or numbers",
     "tide.result_type(tide.tensor{1, 2}, 0.5) --> \"float32\""},
    typed_function<can_cast, "can_cast", "from, to">(
        "Whether results of the first type can be written to tensors of the second",
        "tide.can_cast(\"float32\", \"int64\") --> false"),
    {"is_floating_point", guard_lookup<is_floating_point>, "x", "Whether the type is a float type",
     "tide.is_floating_point(tide.ones(2)) --> true"},
};

}  // namespace

std::span<const Function> question_methods() { return kQuestionMethods; }
std::span<const Function> property_functions() { return kPropertyFunctions; }

std::span<const FunctionFamily> tensor_method_families() {
  static const FunctionFamily families[] = {
      {"x:", "Asking a tensor", question_methods()},
      {"x:", "Reading values", reading_methods()},
      {"x:", "Bytes and summaries", byte_methods()},
      {"x:", "Giving memory back", lifetime_methods()},
      {"x:", "Tensors of Lua values", construction_methods()},
      {"x:", "Other types and devices", conversion_methods()},
      {"x:", "Gradients", gradient_methods()},
  };
  return families;
}

}  // namespace tide::bindings
