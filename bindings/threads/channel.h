// Channels: queues of values between threads that run Lua.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "bindings/support/object.h"
#include "bindings/threads/parcel.h"

namespace tide::bindings {

/// A queue of parcels between threads. Waiting ends as wait_until does (waiting.h).
class Channel {
 public:
  /// `capacity`: how many parcels wait at most.
  explicit Channel(size_t capacity) : capacity_(capacity) {}

  /// Adds a parcel; waits while the channel is full. False if it is closed.
  bool push(Parcel parcel);
  /// The oldest parcel; waits up to so many seconds for one. None if that time is over, or if the
  /// channel is closed and empty.
  std::optional<Parcel> pop(double seconds);
  /// From now on nothing can be pushed; what waits can still be popped.
  void close();
  bool closed() const;
  size_t size() const;

 private:
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Parcel> parcels_;
  bool closed_ = false;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Channel>>{"tide.Channel"};
/// What was popped, while values are made of it.
template <>
inline constexpr ClassInfo kClass<std::optional<Parcel>>{"tide.Parcel"};

}  // namespace tide::bindings
