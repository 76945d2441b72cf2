// Events and streams as Lua values.
#pragma once

#include "bindings/support/object.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

/// A point in a stream, after it is recorded.
struct EventObject {
  Device device;
  bool timing;
  engine::Mark mark;
  bool recorded;
};
template <>
inline constexpr ClassInfo kClass<EventObject>{"tide.Event", "event"};

/// A stream of a device.
struct StreamObject {
  engine::StreamId id;
};
template <>
inline constexpr ClassInfo kClass<StreamObject>{"tide.Stream", "stream"};

}  // namespace tide::bindings
