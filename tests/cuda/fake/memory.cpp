// Memory of devices and of the host, and copies between them.
#include <algorithm>
#include <cstring>

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/libraries.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

using namespace tide::cuda::cupti;

/// The device that owns the memory, or null.
const Device* owner_of_memory(uint64_t address) {
  for (const auto& device : devices())
    if (device->memory.find(address)) return device.get();
  return nullptr;
}

bool is_on_device(uint64_t address) { return owner_of_memory(address) != nullptr; }

bool may_copy(uint64_t address, size_t bytes) {
  for (const auto& device : devices())
    if (device->memory.find(address)) return device->owns(address, bytes);
  return true;
}

}  // namespace

Result memory_info(size_t* available, size_t* total) {
  if (const Result error = state()) return error;
  *total = settings().memory;
  *available = *total - current()->memory.total();
  return kSuccess;
}

Result allocate(DevicePointer* data, size_t bytes) {
  if (const Result error = state()) return error;
  if (bytes == 0) return kInvalidValue;
  void* block = current()->memory.allocate(bytes, settings().memory);
  *data = reinterpret_cast<DevicePointer>(block);
  return block ? kSuccess : kOutOfMemory;
}

Result release(DevicePointer data) {
  if (const Result error = state()) return error;
  for (const auto& device : devices())
    if (device->memory.release(data)) return kSuccess;
  return kInvalidValue;
}

Result host_allocate(void** data, size_t bytes, unsigned) {
  if (const Result error = state()) return error;
  *data = pinned().allocate(bytes, SIZE_MAX);
  return *data ? kSuccess : kOutOfMemory;
}

Result host_register(void* data, size_t bytes, unsigned) {
  if (const Result error = state()) return error;
  if (settings().pin_error) return settings().pin_error;
  const auto address = reinterpret_cast<uint64_t>(data);
  const std::lock_guard lock(current()->context_mutex);
  if (!pinned().add(address, bytes)) return kAlreadyRegistered;
  current()->registered.insert(address);
  return kSuccess;
}

Result host_unregister(void* data) {
  if (is_in_callback()) return kNotPermitted;
  const auto address = reinterpret_cast<uint64_t>(data);
  const std::lock_guard lock(current()->context_mutex);
  if (!current()->registered.erase(address)) return kNotRegistered;
  pinned().remove(address);
  return kSuccess;
}

Result host_release(void* data) {
  if (is_in_callback()) return kNotPermitted;
  return pinned().release(reinterpret_cast<uint64_t>(data)) ? kSuccess : kInvalidValue;
}

Result copy(DevicePointer to, DevicePointer from, size_t bytes, CudaStream stream) {
  static std::atomic<int64_t> copies{0};
  if (const Result error = state()) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "cuMemcpyAsync")) return error;
  if (bytes == 0) return kSuccess;
  if (!may_copy(to, bytes) || !may_copy(from, bytes)) return kInvalidValue;
  if (++copies == settings().fail_copy) return kLaunchFailed;
  note_copy(to, from);
  const auto move = [to, from, bytes] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  };
  const auto pageable = [](uint64_t address) {
    return !is_on_device(address) && !pinned().find(address);
  };
  if (settings().pinned_only && (pageable(from) || pageable(to))) return kInvalidValue;
  const Device *const target = owner_of_memory(to), *const source = owner_of_memory(from);
  const Kind kind = target && source && target != source ? kPeerCopy : kCopy;
  if (pageable(from)) {
    const auto* start = reinterpret_cast<const uint8_t*>(from);
    auto staged = std::make_shared<std::vector<uint8_t>>(start, start + bytes);
    thread_of(stream).enqueue(watched(kind, [staged, to] {
      std::memcpy(reinterpret_cast<void*>(to), staged->data(), staged->size());
    }));
    return kSuccess;
  }
  thread_of(stream).enqueue(watched(kind, move));
  if (pageable(to)) thread_of(stream).synchronize();
  return state();
}

Result copy_to_device(DevicePointer to, const void* from, size_t bytes, CudaStream stream) {
  if (bytes && !is_on_device(to)) return kInvalidValue;
  return copy(to, reinterpret_cast<uint64_t>(from), bytes, stream);
}

Result copy_to_host(void* to, DevicePointer from, size_t bytes, CudaStream stream) {
  if (bytes && !is_on_device(from)) return kInvalidValue;
  return copy(reinterpret_cast<uint64_t>(to), from, bytes, stream);
}

Result copy_within(DevicePointer to, DevicePointer from, size_t bytes, CudaStream stream) {
  if (bytes && (!is_on_device(from) || !is_on_device(to))) return kInvalidValue;
  return copy(to, from, bytes, stream);
}

Result fill_words(DevicePointer to, unsigned value, size_t count, CudaStream stream) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "cuMemsetD32Async"))
    return error;
  if (!is_on_device(to) || !may_copy(to, 4 * count)) return kInvalidValue;
  thread_of(stream).enqueue(
      watched(kFill, [=] { std::fill_n(reinterpret_cast<unsigned*>(to), count, value); }));
  return kSuccess;
}

}  // namespace fake
