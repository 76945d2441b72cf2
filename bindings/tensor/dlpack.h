// The DLPack tensor layout (version 0.8, before 1.0), shared with C host programs.
#pragma once

#include <cstdint>

namespace tide::bindings::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCudaHost = 3 };
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E4M3 = 10,
  kFloat8E5M2 = 12
};

struct Device {
  int32_t type;
  int32_t index;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t* shape;
  int64_t* strides;  ///< in elements; null: row-major
  uint64_t byte_offset;
};

/// The owner calls its deleter once, on any thread.
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);  ///< may be null
};
static_assert(sizeof(Tensor) == 48 && sizeof(ManagedTensor) == 64);

/// A capsule is a userdata with the metatable registered under this name (luaL_checkudata(L, i,
/// "dltensor")). It holds one pointer to a ManagedTensor, which is null once the tensor was
/// consumed; otherwise the collector calls the deleter.
inline constexpr char kCapsule[] = "dltensor";

}  // namespace tide::bindings::dlpack
