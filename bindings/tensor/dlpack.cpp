// tide.to_dlpack and tide.from_dlpack: exchange tensors with a C host program.
#include "bindings/tensor/dlpack.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"
#include "runtime/io/host_array.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

using dlpack::ManagedTensor;

/// An exported tensor, which owns a copy: neither side sees the other's writes, and the deleter can
/// run on any thread.
struct Exported {
  ManagedTensor managed{};
  std::vector<int64_t> shape, strides;
  HostArray values;
};

dlpack::DataType type_of(DType type) {
  const auto bits = static_cast<uint8_t>(8 * size_of(type));
  switch (type) {
    case DType::boolean:
      return {dlpack::kBool, 8, 1};
    case DType::u8:
      return {dlpack::kUInt, 8, 1};
    case DType::bf16:
      return {dlpack::kBfloat, 16, 1};
    case DType::f8e4m3:
      return {dlpack::kFloat8E4M3, 8, 1};
    case DType::f8e5m2:
      return {dlpack::kFloat8E5M2, 8, 1};
    case DType::f16:
    case DType::f32:
    case DType::f64:
      return {dlpack::kFloat, bits, 1};
    default:
      return {dlpack::kInt, bits, 1};
  }
}

std::optional<DType> dtype_of(dlpack::DataType type) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const dlpack::DataType known = type_of(static_cast<DType>(i));
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1)
      return static_cast<DType>(i);
  }
  return std::nullopt;
}

/// The pointer in the capsule at a stack index; null if there is none.
ManagedTensor** find_capsule(lua_State* L, int index) {
  if (lua_rawlen(L, index) != sizeof(ManagedTensor*)) return nullptr;
  return static_cast<ManagedTensor**>(luaL_testudata(L, index, dlpack::kCapsule));
}

void release(ManagedTensor* managed) {
  if (managed && managed->deleter) managed->deleter(managed);
}

int collect_capsule(lua_State* L) {
  if (ManagedTensor** capsule = find_capsule(L, 1)) release(std::exchange(*capsule, nullptr));
  return 0;
}

int capsule_text(lua_State* L) {
  ManagedTensor** capsule = find_capsule(L, 1);
  lua_pushstring(L, capsule && *capsule ? "dltensor" : "dltensor, consumed");
  return 1;
}

/// to_dlpack(x): a capsule with a copy of x's values. Waits.
int to_dlpack(lua_State* L, const Tensor& x) {
  auto** capsule = static_cast<ManagedTensor**>(lua_newuserdatauv(L, sizeof(ManagedTensor*), 0));
  *capsule = nullptr;
  luaL_setmetatable(L, dlpack::kCapsule);
  auto exported = std::make_unique<Exported>();
  const Shape& shape = x.shape();
  exported->values = HostArray(x.dtype(), shape);
  x.read(exported->values.data.get(), "to_dlpack");
  int64_t stride = 1;
  exported->strides.resize(static_cast<size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    exported->strides[static_cast<size_t>(d)] = stride;
    stride *= shape[d];
  }
  for (int d = 0; d < shape.rank(); ++d) exported->shape.push_back(shape[d]);
  ManagedTensor& managed = exported->managed;
  managed.tensor = {exported->values.data.get(),
                    {dlpack::kCpu, 0},
                    shape.rank(),
                    type_of(x.dtype()),
                    exported->shape.data(),
                    exported->strides.data(),
                    0};
  managed.deleter = [](ManagedTensor* self) { delete static_cast<Exported*>(self->context); };
  managed.context = exported.get();
  *capsule = &exported.release()->managed;
  return 1;
}

/// Copies the elements of `from` in row-major order.
void copy_elements(const dlpack::Tensor& from, size_t item, int dim, const std::byte* source,
                   std::byte*& target) {
  if (dim == from.rank) {
    std::memcpy(target, source, item);
    target += item;
    return;
  }
  int64_t stride = 1;
  if (from.strides)
    stride = from.strides[dim];
  else
    for (int d = dim + 1; d < from.rank; ++d) stride *= from.shape[d];
  for (int64_t i = 0; i < from.shape[dim]; ++i)
    copy_elements(from, item, dim + 1, source + i * stride * static_cast<int64_t>(item), target);
}

/// A new tensor on the device with a copy of the host tensor's elements.
Tensor imported(const dlpack::Tensor& from, Device device) {
  if (from.device.type != dlpack::kCpu && from.device.type != dlpack::kCudaHost)
    throw DeviceError("from_dlpack: expected a tensor in host memory, got device type " +
                      std::to_string(from.device.type));
  const auto type = dtype_of(from.type);
  if (!type)
    throw DTypeError("from_dlpack: unsupported type: code " + std::to_string(from.type.code) +
                     ", " + std::to_string(from.type.bits) + " bits, " +
                     std::to_string(from.type.lanes) + " lanes");
  if (from.rank < 0 || from.rank > kMaxDims || (from.rank > 0 && !from.shape))
    throw ShapeError("from_dlpack: at most " + std::to_string(kMaxDims) +
                     " dimensions are supported, got " + std::to_string(from.rank));
  const Shape shape(std::vector<int64_t>(from.shape, from.shape + from.rank));
  if (!from.data && shape.numel() > 0) throw ArgumentError("from_dlpack: the tensor has no data");
  std::string values(static_cast<size_t>(shape.numel()) * size_of(*type), '\0');
  if (!values.empty()) {
    auto* target = reinterpret_cast<std::byte*>(values.data());
    copy_elements(from, size_of(*type), 0, static_cast<std::byte*>(from.data) + from.byte_offset,
                  target);
  }
  return record_constant(values.data(), shape, *type, device);
}

/// Consumes the tensor in the capsule.
int from_dlpack(lua_State* L, Value value, std::optional<tide::Device> device) {
  ManagedTensor** capsule = find_capsule(L, value.index);
  if (!capsule)
    throw ArgumentError(std::string("from_dlpack: argument 1: expected a dltensor capsule, got ") +
                        type_name(L, value.index));
  if (!*capsule) throw ArgumentError("from_dlpack: the capsule's tensor was already consumed");
  Tensor tensor = imported((*capsule)->tensor, device.value_or(default_device()));
  release(std::exchange(*capsule, nullptr));
  push_tensor(L, std::move(tensor));
  return 1;
}

constexpr Function kDlpackFunctions[] = {
    typed_function<to_dlpack, "to_dlpack", "x">(
        "A DLPack capsule with a copy of x's values in host memory, for a C host program: see "
        "bindings/tensor/dlpack.h; waits",
        "tide.from_dlpack(tide.to_dlpack(tide.ones(2))) --> {1.0, 1.0}"),
    typed_function<from_dlpack, "from_dlpack", "capsule, {device}">(
        "A tensor with a copy of the values in a DLPack capsule, which is consumed",
        "local c = tide.to_dlpack(tide.ones(2)); tide.from_dlpack(c) --> {1.0, 1.0}"),
};

}  // namespace

std::span<const Function> dlpack_functions() { return kDlpackFunctions; }

void open_dlpack(lua_State* L) {
  luaL_newmetatable(L, dlpack::kCapsule);
  const luaL_Reg metamethods[] = {{"__gc", guard_lookup<collect_capsule>},
                                  {"__tostring", guard_lookup<capsule_text>},
                                  {nullptr, nullptr}};
  luaL_setfuncs(L, metamethods, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

}  // namespace tide::bindings
