// x:to(...), x:float(), x:cuda(): other types and devices.
#include <optional>
#include <string>
#include <string_view>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

/// The arguments of x:to.
struct Target {
  std::optional<DType> dtype{};
  std::optional<Device> device{};
  std::optional<MemoryFormat> format{};
  bool copy = false;
  bool non_blocking = false;
};

/// A copy on another device, differentiable.
Tensor moved(const Tensor& x, Device device) {
  const Tensor y = record_transfer(x, device);
  if (needs_grad_fn(x))
    set_grad_fn(y, "to", {x}, false, [source = x.device()](const GradientCall& call) {
      return std::vector<Tensor>{moved(call.dy, source)};
    });
  return y;
}

/// x converted to the target: x itself if nothing changes and no copy is requested.
Tensor converted(const Tensor& x, const Target& target) {
  Tensor y = x;
  const bool moves = target.device && !(*target.device == x.device());
  const bool converts = target.dtype && *target.dtype != x.dtype();
  // Transfer the narrower type.
  const bool converts_first = converts && size_of(*target.dtype) < size_of(x.dtype());
  if (converts_first) y = convert(y, *target.dtype);
  if (moves) y = moved(y, *target.device);
  if (moves && !target.non_blocking && target.device->is_host()) wait_for_transfer(y);
  if (converts && !converts_first) y = convert(y, *target.dtype);
  if (target.format) y = in_format(y, *target.format);
  return target.copy && y == x ? clone(x) : y;
}

/// Reads the options table at `index`.
void read_named(lua_State* L, int index, Target& target) {
  for_each_option(L, index, "to", "device, ctx, dtype, copy, non_blocking, memory_format",
                  [&](std::string_view key, int value) {
                    if (key == "dtype")
                      target.dtype = dtype_at(L, value, "to");
                    else if (key == "copy")
                      target.copy = lua_toboolean(L, value);
                    else if (key == "non_blocking")
                      target.non_blocking = lua_toboolean(L, value);
                    else if (key == "memory_format")
                      target.format = format_at(L, value, "to");
                    else
                      target.device = device_at(L, value, "to");
                  });
}

/// Reads one positional argument: a type's name, a device or its name, or a tensor to be like.
void read_positional(lua_State* L, int index, Target& target) {
  if (const Tensor* other = find_tensor(L, index)) {
    target.dtype = other->dtype();
    target.device = other->device();
  } else if (lua_type(L, index) == LUA_TSTRING) {
    if (const auto type = dtype_from_name(lua_tostring(L, index)))
      target.dtype = *type;
    else
      target.device = device_at(L, index, "to");
  } else if (!lua_isnil(L, index)) {
    target.device = device_at(L, index, "to");
  }
}

int to(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "to");
  Target target;
  const int top = lua_gettop(L);
  if (top < 2) throw ArgumentError("to: expected a type, a device, a tensor, or options");
  bool* flag = &target.non_blocking;  // the next boolean is copy
  for (int i = 2; i <= top; ++i) {
    if (lua_type(L, i) == LUA_TTABLE) {
      read_named(L, i, target);
    } else if (lua_type(L, i) == LUA_TBOOLEAN) {
      *flag = lua_toboolean(L, i);
      flag = &target.copy;
    } else {
      read_positional(L, i, target);
    }
  }
  push_tensor(L, converted(x, target));
  return 1;
}

template <DType kType>
int to_type(lua_State* L) {
  push_tensor(L, converted(check_tensor(L, 1, "to"), {kType}));
  return 1;
}

/// type(): the name of x's type; type(dtype): x in that type.
int name_or_convert(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "type");
  if (lua_isnoneornil(L, 2)) {
    const std::string_view name = name_of(x.dtype());
    lua_pushlstring(L, name.data(), name.size());
  } else {
    push_tensor(L, converted(x, {dtype_at(L, 2, "type")}));
  }
  return 1;
}

Tensor type_as(const Tensor& x, const Tensor& other) { return converted(x, {other.dtype()}); }

int to_cpu(lua_State* L) {
  push_tensor(L, converted(check_tensor(L, 1, "cpu"), {{}, Device{}}));
  return 1;
}

int to_cuda(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "cuda");
  Device device{DeviceKind::cuda, 0};
  int64_t ordinal;
  if (integer_at(L, 2, &ordinal)) {
    if (ordinal < 0 || ordinal > 255)
      throw DeviceError("cuda: there is no cuda:" + std::to_string(ordinal));
    device.index = static_cast<uint8_t>(ordinal);
  } else {
    device = device_or(L, 2, device, "cuda");
  }
  push_tensor(L, converted(x, {{}, device}));
  return 1;
}

/// A copy in pinned memory, differentiable. Tensors on a device are returned unchanged.
Tensor pinned(const Tensor& x) {
  if (!x.device().is_host()) return x;
  const Tensor y = record_pinned(x);
  if (!(y == x) && needs_grad_fn(x))
    set_grad_fn(y, "pin_memory", {x}, false,
                [](const GradientCall& call) { return std::vector<Tensor>{call.dy}; });
  return y;
}

int pin_memory(lua_State* L) {
  push_tensor(L, pinned(check_tensor(L, 1, "pin_memory")));
  return 1;
}

Tensor copyto(const Tensor& x, Device device) { return converted(x, {{}, device, {}, true}); }

Tensor as_in_ctx(const Tensor& x, Device device) { return converted(x, {{}, device}); }

constexpr Function kConversionMethods[] = {
    {"to", guard<to>,
     "device | dtype | tensor | {device, dtype, copy, non_blocking, memory_format, ctx}",
     "x on another device or of another type; x itself if nothing changes. A transfer to the cpu "
     "waits, unless non_blocking = true: then the first read waits",
     "tide.tensor{1, 2}:to(\"float32\") --> {1.0, 2.0}"},
    {"float", guard<to_type<DType::f32>>, "", "x as float32",
     "tide.tensor{1, 2}:float() --> {1.0, 2.0}"},
    {"double", guard<to_type<DType::f64>>, "", "x as float64",
     "tide.tensor{1, 2}:double().dtype --> \"float64\""},
    {"half", guard<to_type<DType::f16>>, "", "x as float16",
     "tide.tensor{0.1}:half() --> {0.09998}"},
    {"bfloat16", guard<to_type<DType::bf16>>, "", "x as bfloat16",
     "tide.tensor{0.1}:bfloat16() --> {0.1001}"},
    {"long", guard<to_type<DType::i64>>, "", "x as int64",
     "tide.tensor{1.9, -1.9}:long() --> {1, -1}"},
    {"int", guard<to_type<DType::i32>>, "", "x as int32",
     "tide.tensor{1.9, -1.9}:int().dtype --> \"int32\""},
    {"short", guard<to_type<DType::i16>>, "", "x as int16",
     "tide.tensor{1.9, -1.9}:short().dtype --> \"int16\""},
    {"char", guard<to_type<DType::i8>>, "", "x as int8",
     "tide.tensor{1.9, -1.9}:char().dtype --> \"int8\""},
    {"byte", guard<to_type<DType::u8>>, "", "x as uint8",
     "tide.tensor{1.9, 255}:byte().dtype --> \"uint8\""},
    {"bool", guard<to_type<DType::boolean>>, "", "x as bool",
     "tide.tensor{0.0, 0.5}:bool() --> {false, true}"},
    {"type", guard<name_or_convert>, "dtype?",
     "x in another type; without one, the name of its type",
     "tide.ones(2):type(), tide.ones(2):type(\"int8\") --> \"float32\", {1, 1}"},
    typed_method<type_as, "type_as", "x, other">(
        "x in the type of another tensor",
        "tide.tensor{1, 2}:type_as(tide.ones(1)) --> {1.0, 2.0}"),
    {"cpu", guard<to_cpu>, "", "x on the cpu",
     "tide.ones(2, {device = \"sim\"}):cpu().device --> cpu"},
    {"cuda", guard<to_cuda>, "i?", "x on a CUDA device",
     "local ok, x = pcall(tide.ones(2).cuda, tide.ones(2)); ok == tide.cuda.is_available() --> "
     "true"},
    {"pin_memory", guard<pin_memory>, "",
     "A copy of x in pinned memory, from which transfers are faster; x itself if it is pinned",
     "tide.tensor{1, 2}:pin_memory() --> {1, 2}"},
    typed_method<copyto, "copyto", "x, device">(
        "A copy of x on a device, even if it is already there",
        "tide.tensor{1, 2}:copyto(\"sim\").device --> sim:0"),
    typed_method<as_in_ctx, "as_in_ctx", "x, device">(
        "x on a device; copies only if needed",
        "tide.tensor{1, 2}:as_in_ctx(\"sim\").device --> sim:0"),
};

}  // namespace

std::span<const Function> conversion_methods() { return kConversionMethods; }

}  // namespace tide::bindings
