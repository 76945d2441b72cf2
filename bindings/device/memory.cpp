// The memory use of tensors on a device.
#include <cstdio>
#include <optional>
#include <string>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
#include "bindings/support/list.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/block.h"

namespace tide::bindings {
namespace {

MemoryStatistics memory_of(std::optional<Device> device) {
  return engine::memory(device.value_or(default_device()));
}

int64_t memory_allocated(std::optional<Device> device) {
  return static_cast<int64_t>(memory_of(device).in_use);
}

int64_t max_memory_allocated(std::optional<Device> device) {
  return static_cast<int64_t>(memory_of(device).peak);
}

int64_t memory_reserved(std::optional<Device> device) {
  const auto memory = memory_of(device);
  return static_cast<int64_t>(memory.in_use + memory.cached);
}

void reset_peak(std::optional<Device> device) {
  engine::reset_peak(device.value_or(default_device()));
}

void empty_cache(std::optional<Device> device) {
  engine::empty_cache(device.value_or(default_device()));
}

std::string megabytes_text(size_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

std::string memory_summary(std::optional<Device> given) {
  const Device device = given.value_or(default_device());
  const auto memory = engine::memory(device);
  std::string text = device.name() + ": in use " + megabytes_text(memory.in_use) + ", at most " +
                     megabytes_text(memory.peak) + ", kept for reuse " +
                     megabytes_text(memory.cached);
  if (memory.limit) text += ", limit " + megabytes_text(memory.limit);
  text += "; " + std::to_string(memory.allocations) + " blocks asked for, " +
          std::to_string(memory.device_allocations) + " from the system";
  return text;
}

int memory_stats(lua_State* L, std::optional<Device> device) {
  const auto memory = memory_of(device);
  lua_createtable(L, 0, 6);
  set_field(L, "allocated_bytes.all.current", memory.in_use);
  set_field(L, "allocated_bytes.all.peak", memory.peak);
  set_field(L, "reserved_bytes.all.current", memory.in_use + memory.cached);
  set_field(L, "allocation.all.allocated", memory.allocations);
  set_field(L, "segment.all.allocated", memory.device_allocations);
  set_field(L, "num_device_alloc", memory.device_allocations);
  make_list(L);
  return 1;
}

constexpr Function kMemoryFunctions[] = {
    typed_function<memory_allocated, "memory_allocated", "device?">(
        "Bytes currently used by tensors; pinned host memory is not counted",
        "local x = tide.ones(1000); tide.synchronize(); tide.memory_allocated() >= 4000 --> true"),
    typed_function<max_memory_allocated, "max_memory_allocated", "device?">(
        "The peak number of bytes used by tensors since the last reset_peak_memory_stats",
        "tide.max_memory_allocated() >= tide.memory_allocated() --> true"),
    typed_function<memory_reserved, "memory_reserved", "device?">(
        "Bytes used by tensors or cached for reuse",
        "tide.memory_reserved() >= tide.memory_allocated() --> true"),
    typed_function<reset_peak, "reset_peak_memory_stats", "device?">(
        "Resets max_memory_allocated to the memory currently in use",
        "tide.reset_peak_memory_stats(); tide.max_memory_allocated() >= 0 --> true"),
    typed_function<empty_cache, "empty_cache", "device?">("Frees cached memory",
                                                          "tide.empty_cache()"),
    typed_function<memory_stats, "memory_stats", "device?">(
        "The memory figures as a table, under PyTorch's names where they exist: "
        "allocated_bytes.all.current and .peak, reserved_bytes.all.current, "
        "allocation.all.allocated (blocks asked for), segment.all.allocated and num_device_alloc "
        "(of "
        "them, those from the system)",
        "tide.memory_stats()[\"allocated_bytes.all.current\"] == tide.memory_allocated() --> true"),
    typed_function<memory_summary, "memory_summary", "device?">(
        "The memory figures as one line of text",
        "type(tide.memory_summary(\"cpu\")) --> \"string\""),
};

}  // namespace

std::span<const Function> memory_functions() { return kMemoryFunctions; }

int memory_figures(lua_State* L, const std::optional<Device>& wanted) {
  const Device device = wanted.value_or(default_device());
  const auto memory = engine::memory(device);
  push_device(L, device);
  lua_createtable(L, 0, 4);
  set_field(L, "allocated", memory.in_use);
  set_field(L, "peak", memory.peak);
  set_field(L, "cached", memory.cached);
  if (memory.limit) set_field(L, "limit", memory.limit);
  push_list(L, engine::memory_holders(device), [L](const MemoryHolder& holder) {
    lua_createtable(L, 0, 5);
    set_field(L, "line", holder.site.text());
    set_field(L, "bytes", holder.now.bytes);
    set_field(L, "blocks", holder.now.blocks);
    set_field(L, "peak_bytes", holder.at_peak.bytes);
    set_field(L, "peak_blocks", holder.at_peak.blocks);
  });
  return 3;
}

int blocks_of(lua_State* L, const Tensor& x) {
  push_list(L, tide::blocks_of(x), [L](const auto& block) {
    lua_createtable(L, 0, 3);
    set_field(L, "address", reinterpret_cast<uintptr_t>(block.address));
    set_field(L, "bytes", block.bytes);
    set_field(L, "line", block.site.text());
  });
  return 1;
}

}  // namespace tide::bindings
