// Properties of a tensor, which are available without waiting for its values.
#include <optional>
#include <string_view>
#include <utility>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/stand_in.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/ops/arguments.h"
#include "runtime/ops/checks.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/dtype.h"

namespace tide::bindings {
namespace {

/// The value of the given dimension, or a table of all.
template <class Get>
int one_or_all(lua_State* L, const char* function, const Tensor& x, std::optional<Dim> dim,
               const Get& get) {
  if (dim) {
    check_min_rank(function, x, 1);
    lua_pushinteger(L, get(resolve_dim(function, *dim, x.rank())));
    return 1;
  }
  lua_createtable(L, x.rank(), 0);
  for (int d = 0; d < x.rank(); ++d) {
    lua_pushinteger(L, get(d));
    lua_rawseti(L, -2, d + 1);
  }
  make_list(L);
  return 1;
}

int size(lua_State* L, const Tensor& x, std::optional<Dim> dim) {
  return one_or_all(L, "size", x, dim, [&](int d) { return x.shape()[d]; });
}

int stride(lua_State* L, const Tensor& x, std::optional<Dim> dim) {
  return one_or_all(L, "stride", x, dim, [&](int d) { return x.layout().strides[d]; });
}

int64_t dim(const Tensor& x) { return x.rank(); }

int64_t numel(const Tensor& x) { return x.numel(); }

int64_t element_size(const Tensor& x) { return static_cast<int64_t>(size_of(x.dtype())); }

int64_t storage_offset(const Tensor& x) { return x.layout().offset; }

bool is_contiguous(const Tensor& x, std::optional<MemoryFormat> format) {
  const Layout& layout = x.layout();
  return format == MemoryFormat::channels_last
             ? x.rank() == 4 && with_channels_last(layout).is_contiguous()
             : layout.is_contiguous();
}

bool is_floating_point(const Tensor& x) { return is_floating(x.dtype()); }

bool is_cuda(const Tensor& x) { return x.device().kind == DeviceKind::cuda; }

bool is_cpu(const Tensor& x) { return x.device().is_host(); }

/// The index of the device, from 0; -1 for the cpu.
int64_t index_of_device(const Tensor& x) { return is_cpu(x) ? -1 : x.device().index; }

int is_tensor(lua_State* L, Value value) {
  return push_result(L, find_tensor(L, value.index) != nullptr || is_stand_in(L, value.index));
}

std::string_view get_default_dtype() { return name_of(default_dtype()); }

void set_default_dtype(DType dtype) {
  check_floating("set_default_dtype", dtype);
  tide::set_default_dtype(dtype);
}

std::string_view promote_types(DType a, DType b) { return name_of(promote(a, b)); }

/// The type of a tensor or number, and its weight in type promotion.
std::pair<DType, Weight> operand(const TensorOrNumber& x) {
  if (x.tensor.defined())
    return {x.tensor.dtype(), x.tensor.rank() ? Weight::dimensioned : Weight::scalar};
  return {x.number.type() == DType::f64 ? default_dtype() : x.number.type(), Weight::number};
}

/// The type of arithmetic between tensors and numbers.
std::string_view result_type(const TensorOrNumber& x, const TensorOrNumber& other) {
  const auto [a, weight_a] = operand(x);
  const auto [b, weight_b] = operand(other);
  return name_of(promote(a, weight_a, b, weight_b));
}

/// can_cast(from, to): whether a result of type `from` can be written to a tensor of type `to`.
bool can_cast(DType from, DType to) {
  const auto category = [](DType type) { return is_floating(type) ? 2 : is_integer(type) ? 1 : 0; };
  return category(from) <= category(to);
}

constexpr Function kQuestionMethods[] = {
    typed_method<size, "size", "x, dim?", kLookup>("Size of one dimension, or a table of all",
                                                   "tide.ones(2, 3):size(2) --> 3"),
    typed_method<dim, "dim", "x", kLookup>("Number of dimensions", "tide.ones(2, 3):dim() --> 2"),
    typed_method<dim, "ndimension", "x", kLookup>("Number of dimensions",
                                                  "tide.ones(2, 3):ndimension() --> 2"),
    typed_method<numel, "numel", "x", kLookup>("Number of elements",
                                               "tide.ones(2, 3):numel() --> 6"),
    typed_method<numel, "nelement", "x", kLookup>("Number of elements",
                                                  "tide.ones(2, 3):nelement() --> 6"),
    typed_method<stride, "stride", "x, dim?", kLookup>(
        "The stride of a dimension in elements, or a table of all",
        "tide.ones(2, 3):stride() --> {3, 1}"),
    typed_method<storage_offset, "storage_offset", "x", kLookup>(
        "Offset of the first element in the storage",
        "tide.arange(4)[{{2, 4}}]:storage_offset() --> 1"),
    typed_method<element_size, "element_size", "x", kLookup>("Bytes of one element",
                                                             "tide.ones(2):element_size() --> 4"),
    typed_method<is_contiguous, "is_contiguous", "x, memory_format?", kLookup>(
        "Whether the elements are in row-major order without gaps, or in the order of the given "
        "format",
        "tide.ones(2, 3):t():is_contiguous() --> false"),
    typed_method<is_floating_point, "is_floating_point", "x", kLookup>(
        "Whether the type is a float type", "tide.tensor{1, 2}:is_floating_point() --> false"),
    typed_method<is_cuda, "is_cuda", "x", kLookup>("Whether x is on a CUDA device",
                                                   "tide.ones(2):is_cuda() --> false"),
    typed_method<is_cpu, "is_cpu", "x", kLookup>("Whether x is on the cpu",
                                                 "tide.ones(2):is_cpu() --> true"),
    typed_method<index_of_device, "get_device", "x", kLookup>(
        "The index of the device, -1 for the cpu", "tide.ones(2):get_device() --> -1"),
    typed_method<tide::is_pinned, "is_pinned", "x", kLookup>("Whether x is in pinned memory",
                                                             "tide.ones(2):is_pinned() --> false"),
};

constexpr Function kPropertyFunctions[] = {
    typed_function<is_tensor, "is_tensor", "value", kLookup>("Whether a value is a tensor",
                                                             "tide.is_tensor(5) --> false"),
    typed_function<numel, "numel", "x", kLookup>("Number of elements",
                                                 "tide.numel(tide.ones(2, 3)) --> 6"),
    typed_function<set_default_dtype, "set_default_dtype", "dtype">(
        "Sets the default floating type, of new tensors and of integers converted to floating "
        "point (float32)",
        "tide.set_default_dtype(\"float64\"); local x = tide.ones(2); "
        "tide.set_default_dtype(\"float32\"); x.dtype --> \"float64\""),
    typed_function<get_default_dtype, "get_default_dtype", "", kLookup>(
        "The floating type of new tensors", "tide.get_default_dtype() --> \"float32\""),
    typed_function<promote_types, "promote_types", "dtype1, dtype2">(
        "The type of arithmetic between tensors of two types",
        "tide.promote_types(\"int64\", \"float16\") --> \"float16\""),
    typed_function<result_type, "result_type", "x, other", kLookup>(
        "The type of arithmetic between tensors or numbers",
        "tide.result_type(tide.tensor{1, 2}, 0.5) --> \"float32\""),
    typed_function<can_cast, "can_cast", "from, to">(
        "Whether results of the first type can be written to tensors of the second",
        "tide.can_cast(\"float32\", \"int64\") --> false"),
    typed_function<is_floating_point, "is_floating_point", "x", kLookup>(
        "Whether the type is a float type", "tide.is_floating_point(tide.ones(2)) --> true"),
};

}  // namespace

std::span<const Function> question_methods() { return kQuestionMethods; }
std::span<const Function> property_functions() { return kPropertyFunctions; }

std::span<const FunctionFamily> tensor_method_families() {
  static const FunctionFamily families[] = {
      {"x:", "Tensor properties", question_methods()},
      {"x:", "Reading values", reading_methods()},
      {"x:", "Bytes and summaries", byte_methods()},
      {"x:", "Releasing memory", lifetime_methods()},
      {"x:", "Tensors from Lua values", construction_methods()},
      {"x:", "Other types and devices", conversion_methods()},
      {"x:", "Gradients", gradient_methods()},
  };
  return families;
}

}  // namespace tide::bindings
