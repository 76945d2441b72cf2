// Events and streams as Lua values.
#pragma once

#include "bindings/support/object.h"
#include "runtime/graph/engine.h"

namespace tide::bindings {

/// A point in the queue of a device, once it is recorded.
struct Event {
  Device device;
  bool timing;
  engine::Mark mark;
  bool recorded;
};
template <>
inline constexpr ClassInfo kClass<Event>{"tide.Event"};

/// The queue of a device.
struct Stream {
  Device device;
};
template <>
inline constexpr ClassInfo kClass<Stream>{"tide.Stream"};

/// What tide.stream(s) returns to be closed.
struct StreamScope {};
template <>
inline constexpr ClassInfo kClass<StreamScope>{"tide.StreamScope"};

}  // namespace tide::bindings
