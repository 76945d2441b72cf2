// Channels: queues of values between threads and processes that run Lua.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bindings/support/object.h"
#include "bindings/threads/parcel.h"

namespace tide::bindings {

/// A queue of parcels. Waiting ends as wait_until does (waiting.h).
class Channel {
 public:
  virtual ~Channel() = default;
  /// Adds a parcel; waits while the channel is full. False if it is closed.
  virtual bool push(Parcel parcel) = 0;
  /// The oldest parcel; waits up to so many seconds for one. None if that time is over, or if the
  /// channel is closed and empty.
  virtual std::optional<Parcel> pop(double seconds) = 0;
  /// From now on nothing can be pushed; what waits can still be popped.
  virtual void close() = 0;
  virtual bool closed() = 0;
  virtual size_t size() = 0;
};

/// Hears when a channel has changed. The call must not use the channel.
class ChannelWatcher {
 public:
  virtual void channel_changed() = 0;

 protected:
  ~ChannelWatcher() = default;
};

/// A channel of this process.
class LocalChannel final : public Channel {
 public:
  /// `capacity`: how many parcels wait at most.
  explicit LocalChannel(size_t capacity) : capacity_(capacity) {}

  bool push(Parcel parcel) override;
  std::optional<Parcel> pop(double seconds) override;
  void close() override;
  bool closed() override;
  size_t size() override;

  /// As push, where nothing waits: none, with the parcel as it was, while the channel is full.
  std::optional<bool> try_push(Parcel& parcel);
  /// As pop, where nothing waits.
  std::optional<Parcel> try_pop();
  /// From now on the watcher hears of changes, as long as it is there.
  void watch(const std::shared_ptr<ChannelWatcher>& watcher);

 private:
  std::optional<Parcel> take_first();
  void notify();

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Parcel> parcels_;
  std::vector<std::weak_ptr<ChannelWatcher>> watchers_;
  bool closed_ = false;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Channel>>{"tide.Channel"};
/// What was popped, while values are made of it.
template <>
inline constexpr ClassInfo kClass<std::optional<Parcel>>{"tide.Parcel"};

}  // namespace tide::bindings
