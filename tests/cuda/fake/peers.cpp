// Peer access between devices.
#include <atomic>

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

std::atomic<int64_t> copies_between{0}, copies_through_host{0};

Device* device_of(uint64_t address) {
  for (const auto& device : devices())
    if (device->memory.find(address)) return device.get();
  return nullptr;
}

}  // namespace

void note_copy(uint64_t to, uint64_t from) {
  Device *target = device_of(to), *source = device_of(from);
  if (!target || !source || target == source) return;
  ++copies_between;
  const Device& other = target == current() ? *source : *target;
  const std::lock_guard lock(current()->context_mutex);
  if (!current()->peers.count({other.ordinal, other.generation})) ++copies_through_host;
}

std::string report_of_copies() {
  return std::to_string(copies_between) + " copies between devices, " +
         std::to_string(copies_through_host) + " through the host";
}

Result can_access_peer(int* possible, DeviceOrdinal device, DeviceOrdinal peer) {
  const auto count = static_cast<int>(devices().size());
  if (device < 0 || device >= count || peer < 0 || peer >= count) return kInvalidDevice;
  *possible = device != peer && settings().peers;
  return kSuccess;
}

Result enable_peer_access(Context peer, unsigned flags) {
  if (const Result error = state()) return error;
  const auto* other = reinterpret_cast<Device*>(peer);
  if (flags) return kInvalidValue;
  if (other == current()) return kInvalidDevice;
  if (other->lost) return other->lost;
  if (settings().peers == 0) return kPeerAccessUnsupported;
  if (settings().peers == 2) return kTooManyPeers;
  const std::lock_guard lock(current()->context_mutex);
  const bool is_new = current()->peers.insert({other->ordinal, other->generation}).second;
  return is_new ? kSuccess : kPeerAccessAlreadyEnabled;
}

}  // namespace fake
