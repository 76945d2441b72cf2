#include "runtime/cuda/backend/peers.h"

#include <map>
#include <mutex>
#include <string>

namespace tide::cuda {
namespace {

std::mutex& connections_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::map<DeviceOrdinal, Context>& connections() {
  static auto& all = *new std::map<DeviceOrdinal, Context>;
  return all;
}

/// Lets kernels and copies of the context of `from` use memory of `to`.
bool allow(const std::pair<const DeviceOrdinal, Context>& from,
           const std::pair<const DeviceOrdinal, Context>& to) {
  int possible = 0;
  if (driver().can_access_peer(&possible, from.first, to.first) != kSuccess || !possible)
    return false;
  if (driver().context_use(from.second) != kSuccess) return false;
  const Result result = driver().enable_peer_access(to.second, 0);
  return result == kSuccess || result == kPeerAccessAlreadyEnabled;
}

}  // namespace

void connect_to_peers(DeviceOrdinal device, Context context) {
  const std::lock_guard lock(connections_mutex());
  const auto [own, is_new] = connections().try_emplace(device, context);
  if (!is_new) return;
  for (const auto& other : connections()) {
    if (other.first == device) continue;
    const bool both = allow(*own, other) && allow(other, *own);
    if (logging())
      log("cuda:" + std::to_string(device) + " and cuda:" + std::to_string(other.first) +
          " copy to each other " + (both ? "directly" : "through the host"));
  }
  check(driver().context_use(context), "cuCtxSetCurrent");
}

}  // namespace tide::cuda
