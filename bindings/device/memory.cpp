// The memory use of tensors on a device.
#include <cstdio>
#include <string>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/list.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/block.h"

namespace tide::bindings {
namespace {

Device device_at_1(lua_State* L, const char* function) {
  return device_or(L, 1, default_device(), function);
}

int memory_allocated(lua_State* L) {
  const auto memory = engine::memory(device_at_1(L, "memory_allocated"));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.in_use));
  return 1;
}

int max_memory_allocated(lua_State* L) {
  const auto memory = engine::memory(device_at_1(L, "max_memory_allocated"));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.peak));
  return 1;
}

int memory_reserved(lua_State* L) {
  const auto memory = engine::memory(device_at_1(L, "memory_reserved"));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.in_use + memory.cached));
  return 1;
}

int reset_peak(lua_State* L) {
  engine::reset_peak(device_at_1(L, "reset_peak_memory_stats"));
  return 0;
}

int empty_cache(lua_State* L) {
  engine::empty_cache(device_at_1(L, "empty_cache"));
  return 0;
}

std::string megabytes_text(size_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

int memory_summary(lua_State* L) {
  const Device device = device_at_1(L, "memory_summary");
  const auto memory = engine::memory(device);
  std::string text = device.name() + ": in use " + megabytes_text(memory.in_use) + ", at most " +
                     megabytes_text(memory.peak) + ", kept for reuse " +
                     megabytes_text(memory.cached);
  if (memory.limit) text += ", limit " + megabytes_text(memory.limit);
  text += "; " + std::to_string(memory.allocations) + " blocks asked for, " +
          std::to_string(memory.device_allocations) + " from the system";
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

int memory_stats(lua_State* L) {
  const auto memory = engine::memory(device_at_1(L, "memory_stats"));
  const std::pair<const char*, int64_t> figures[] = {
      {"allocated_bytes.all.current", static_cast<int64_t>(memory.in_use)},
      {"allocated_bytes.all.peak", static_cast<int64_t>(memory.peak)},
      {"reserved_bytes.all.current", static_cast<int64_t>(memory.in_use + memory.cached)},
      {"allocation.all.allocated", memory.allocations},
      {"segment.all.allocated", memory.device_allocations},
      {"num_device_alloc", memory.device_allocations}};
  lua_createtable(L, 0, static_cast<int>(std::size(figures)));
  for (const auto& [name, value] : figures) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
  }
  make_list(L);
  return 1;
}

void set_field(lua_State* L, const char* name, size_t value) {
  lua_pushinteger(L, static_cast<lua_Integer>(value));
  lua_setfield(L, -2, name);
}

constexpr Function kMemoryFunctions[] = {
    {"memory_allocated", guard<memory_allocated>, "device?",
     "Bytes currently used by tensors; pinned host memory is not counted",
     "local x = tide.ones(1000); tide.synchronize(); tide.memory_allocated() >= 4000 --> true"},
    {"max_memory_allocated", guard<max_memory_allocated>, "device?",
     "The peak number of bytes used by tensors since the last reset_peak_memory_stats",
     "tide.max_memory_allocated() >= tide.memory_allocated() --> true"},
    {"memory_reserved", guard<memory_reserved>, "device?",
     "Bytes used by tensors or cached for reuse",
     "tide.memory_reserved() >= tide.memory_allocated() --> true"},
    {"reset_peak_memory_stats", guard<reset_peak>, "device?",
     "Resets max_memory_allocated to the memory currently in use",
     "tide.reset_peak_memory_stats(); tide.max_memory_allocated() >= 0 --> true"},
    {"empty_cache", guard<empty_cache>, "device?", "Frees cached memory", "tide.empty_cache()"},
    {"memory_stats", guard<memory_stats>, "device?",
     "The memory figures as a table, under PyTorch's names where they exist: "
     "allocated_bytes.all.current and .peak, reserved_bytes.all.current, "
     "allocation.all.allocated (blocks asked for), segment.all.allocated and num_device_alloc (of "
     "them, those from the system)",
     "tide.memory_stats()[\"allocated_bytes.all.current\"] == tide.memory_allocated() --> true"},
    {"memory_summary", guard<memory_summary>, "device?", "The memory figures as one line of text",
     "type(tide.memory_summary(\"cpu\")) --> \"string\""},
};

}  // namespace

std::span<const Function> memory_functions() { return kMemoryFunctions; }

int memory_figures(lua_State* L) {
  const Device device = device_at_1(L, "memory.snapshot");
  const auto memory = engine::memory(device);
  const auto holders = engine::memory_holders(device);
  push_device(L, device);
  lua_createtable(L, 0, 4);
  set_field(L, "allocated", memory.in_use);
  set_field(L, "peak", memory.peak);
  set_field(L, "cached", memory.cached);
  if (memory.limit) set_field(L, "limit", memory.limit);
  lua_createtable(L, static_cast<int>(holders.size()), 0);
  for (size_t i = 0; i < holders.size(); ++i) {
    const MemoryHolder& holder = holders[i];
    lua_createtable(L, 0, 5);
    lua_pushstring(L, holder.site.text().c_str());
    lua_setfield(L, -2, "line");
    set_field(L, "bytes", holder.now.bytes);
    set_field(L, "blocks", holder.now.blocks);
    set_field(L, "peak_bytes", holder.at_peak.bytes);
    set_field(L, "peak_blocks", holder.at_peak.blocks);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  return 3;
}

int blocks_of(lua_State* L) {
  const auto blocks = tide::blocks_of(check_tensor(L, 1, "memory.snapshot"));
  lua_createtable(L, static_cast<int>(blocks.size()), 0);
  for (size_t i = 0; i < blocks.size(); ++i) {
    lua_createtable(L, 0, 3);
    set_field(L, "address", reinterpret_cast<uintptr_t>(blocks[i].address));
    set_field(L, "bytes", blocks[i].bytes);
    lua_pushstring(L, blocks[i].site.text().c_str());
    lua_setfield(L, -2, "line");
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  return 1;
}

}  // namespace tide::bindings
