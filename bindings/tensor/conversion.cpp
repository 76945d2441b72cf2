// x:to(...), x:float(), x:cuda(): other types and devices.
#include <optional>
#include <vector>

#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

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
Tensor converted(const Tensor& x, const ConversionTarget& target,
                 std::optional<MemoryFormat> format = std::nullopt) {
  Tensor y = x;
  const bool moves = target.device && !(*target.device == x.device());
  const bool converts = target.dtype && *target.dtype != x.dtype();
  // Transfer the narrower type.
  const bool converts_first = converts && size_of(*target.dtype) < size_of(x.dtype());
  if (converts_first) y = convert(y, *target.dtype);
  if (moves) y = moved(y, *target.device);
  if (moves && !target.non_blocking && target.device->is_host()) wait_for_transfer(y);
  if (converts && !converts_first) y = convert(y, *target.dtype);
  if (format) y = in_format(y, *format);
  return target.copy && y == x ? clone(x) : y;
}

/// Options override the target.
Tensor to(const Tensor& x, ConversionTarget target, std::optional<Device> device,
          std::optional<DType> dtype, bool copy, bool non_blocking,
          std::optional<MemoryFormat> memory_format, std::optional<Device> ctx) {
  if (dtype) target.dtype = dtype;
  if (device || ctx) target.device = device ? device : ctx;
  target.copy |= copy;
  target.non_blocking |= non_blocking;
  return converted(x, target, memory_format);
}

template <DType kType>
Tensor to_type(const Tensor& x) {
  return converted(x, {kType});
}

/// type(): the name of x's type; type(dtype): x in that type.
int name_or_convert(lua_State* L, const Tensor& x, std::optional<DType> dtype) {
  return dtype ? push_result(L, converted(x, {dtype})) : push_result(L, name_of(x.dtype()));
}

Tensor type_as(const Tensor& x, const Tensor& other) {
  const OpSpan span("type_as");
  return converted(x, {other.dtype()});
}

Tensor to_cpu(const Tensor& x) { return converted(x, {.device = Device{}}); }

Tensor to_cuda(const Tensor& x, const std::optional<DeviceOrIndex>& i) {
  return converted(x, {.device = device_of(i.value_or(int64_t{0}), DeviceKind::cuda, "cuda")});
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

Tensor copyto(const Tensor& x, Device device) {
  const OpSpan span("copyto");
  return converted(x, {.device = device, .copy = true});
}

Tensor as_in_ctx(const Tensor& x, Device device) {
  const OpSpan span("as_in_ctx");
  return converted(x, {.device = device});
}

constexpr Function kConversionMethods[] = {
    typed_method<
        to, "to",
        "x, device | dtype | tensor..., {device, dtype, copy, non_blocking, memory_format, ctx}">(
        "x on another device or of another type; x itself if nothing changes. A transfer to the "
        "cpu "
        "waits, unless non_blocking = true: then the first read waits",
        "tide.tensor{1, 2}:to(\"float32\") --> {1.0, 2.0}"),
    typed_method<to_type<DType::f32>, "float", "x">("x as float32",
                                                    "tide.tensor{1, 2}:float() --> {1.0, 2.0}"),
    typed_method<to_type<DType::f64>, "double", "x">(
        "x as float64", "tide.tensor{1, 2}:double().dtype --> \"float64\""),
    typed_method<to_type<DType::f16>, "half", "x">("x as float16",
                                                   "tide.tensor{0.1}:half() --> {0.09998}"),
    typed_method<to_type<DType::bf16>, "bfloat16", "x">("x as bfloat16",
                                                        "tide.tensor{0.1}:bfloat16() --> {0.1001}"),
    typed_method<to_type<DType::i64>, "long", "x">("x as int64",
                                                   "tide.tensor{1.9, -1.9}:long() --> {1, -1}"),
    typed_method<to_type<DType::i32>, "int", "x">(
        "x as int32", "tide.tensor{1.9, -1.9}:int().dtype --> \"int32\""),
    typed_method<to_type<DType::i16>, "short", "x">(
        "x as int16", "tide.tensor{1.9, -1.9}:short().dtype --> \"int16\""),
    typed_method<to_type<DType::i8>, "char", "x">(
        "x as int8", "tide.tensor{1.9, -1.9}:char().dtype --> \"int8\""),
    typed_method<to_type<DType::u8>, "byte", "x">(
        "x as uint8", "tide.tensor{1.9, 255}:byte().dtype --> \"uint8\""),
    typed_method<to_type<DType::boolean>, "bool", "x">(
        "x as bool", "tide.tensor{0.0, 0.5}:bool() --> {false, true}"),
    typed_method<name_or_convert, "type", "x, dtype?">(
        "x in another type; without one, the name of its type",
        "tide.ones(2):type(), tide.ones(2):type(\"int8\") --> \"float32\", {1, 1}"),
    typed_method<type_as, "type_as", "x, other">(
        "x in the type of another tensor",
        "tide.tensor{1, 2}:type_as(tide.ones(1)) --> {1.0, 2.0}"),
    typed_method<to_cpu, "cpu", "x">("x on the cpu",
                                     "tide.ones(2, {device = \"sim\"}):cpu().device --> cpu"),
    typed_method<to_cuda, "cuda", "x, i?">(
        "x on a CUDA device",
        "local ok, x = pcall(tide.ones(2).cuda, tide.ones(2)); ok == tide.cuda.is_available() --> "
        "true"),
    typed_method<pinned, "pin_memory", "x">(
        "A copy of x in pinned memory, from which transfers are faster; x itself if it is pinned",
        "tide.tensor{1, 2}:pin_memory() --> {1, 2}"),
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
