// Events and streams: the queues of a device, and points in them.
#include <optional>
#include <string>
#include <variant>

#include "bindings/device/functions.h"
#include "bindings/modes/modes.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/event_object.h"
#include "bindings/ops/typed_function.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// The stream, or the current stream of the device.
engine::StreamId stream_of(const std::optional<StreamOrDevice>& given, Device fallback) {
  if (given && std::holds_alternative<engine::StreamId>(*given))
    return std::get<engine::StreamId>(*given);
  return engine::current_stream(given ? std::get<Device>(*given) : fallback);
}

/// The device, or that of the stream.
Device device_of(const std::optional<StreamOrDevice>& given, Device fallback) {
  if (given && std::holds_alternative<Device>(*given)) return std::get<Device>(*given);
  return given ? std::get<engine::StreamId>(*given).device : fallback;
}

EventObject new_event(const std::optional<StreamOrDevice>& device, bool timing,
                      const std::optional<StreamOrDevice>& ctx, bool enable_timing) {
  return {device_of(device, device_of(ctx, timed_device())), timing || enable_timing, {}, false};
}

void record(EventObject& event, engine::StreamId stream) {
  event.device = stream.device;
  event.mark = engine::mark(stream);
  event.recorded = true;
}

std::string event_text(const EventObject& event) {
  const char* const state = !event.recorded               ? "not recorded"
                            : engine::reached(event.mark) ? "reached"
                                                          : "recorded";
  return "Event(device = " + event.device.name() +
         ", timing = " + (event.timing ? "true, " : "false, ") + state + ")";
}

int event_record(lua_State* L, EventObject& event, const std::optional<StreamOrDevice>& where) {
  record(event, stream_of(where, event.device));
  lua_settop(L, 1);
  return 1;
}

void event_wait(const EventObject& event, const std::optional<StreamOrDevice>& where) {
  const engine::StreamId stream = stream_of(where, default_device());
  if (event.recorded) engine::wait_on_stream(stream, event.mark);
}

bool event_query(const EventObject& event) {
  return !event.recorded || engine::reached(event.mark);
}

void event_synchronize(const EventObject& event) {
  if (event.recorded) engine::wait(event.mark, "event");
}

double event_elapsed(const EventObject& from, const EventObject& to) {
  if (!from.timing || !to.timing)
    throw Error("elapsed_time: both events must be created with {timing = true}");
  if (!from.recorded || !to.recorded) throw Error("elapsed_time: both events must be recorded");
  for (const EventObject* event : {&from, &to}) engine::wait(event->mark, "elapsed_time");
  return 1e3 * engine::elapsed(from.mark, to.mark);
}

StreamObject new_stream(const std::optional<StreamOrDevice>& device) {
  return {engine::add_stream(device_of(device, default_device()))};
}

void stream_synchronize(const StreamObject& stream) { engine::synchronize(stream.id, "stream"); }

bool stream_query(const StreamObject& stream) { return engine::idle(stream.id); }

void stream_wait_event(const StreamObject& stream, const EventObject& event) {
  if (event.recorded) engine::wait_on_stream(stream.id, event.mark);
}

void stream_wait_stream(const StreamObject& stream, const StreamObject& other) {
  engine::wait_on_stream(stream.id, engine::mark(other.id));
}

int stream_record_event(lua_State* L, const StreamObject& stream, EventObject* event) {
  if (event)
    lua_settop(L, 2);
  else
    event = &push_object(L, EventObject{stream.id.device, false, {}, false});
  record(*event, stream.id);
  return 1;
}

Device stream_device(const StreamObject& stream) { return stream.id.device; }

StreamObject current_stream(const std::optional<StreamOrDevice>& device) {
  return {stream_of(device, default_device())};
}

int same_stream(lua_State* L) {
  const StreamObject *a = find<StreamObject>(L, 1), *b = find<StreamObject>(L, 2);
  lua_pushboolean(L, a && b && a->id == b->id);
  return 1;
}

std::string stream_text(const StreamObject& stream) {
  const uint8_t number = stream.id.number;
  return (number ? "stream " + std::to_string(number) : "the first stream") + " of " +
         stream.id.device.name();
}

constexpr Function kEventFunctions[] = {
    typed_function<new_event, "Event", "device?, {device, timing, ctx, enable_timing}">(
        "A point in the queue of a device: the one named, else the default device, if it was set, "
        "or "
        "that of --device",
        "local a, b = tide.Event{timing = true}, tide.Event{timing = true}; a:record(); "
        "b:record(); "
        "a:elapsed_time(b) >= 0 --> true"),
    typed_function<new_stream, "Stream", "device?">(
        "A new queue of a device: work of different streams runs concurrently",
        "local s = tide.Stream(\"sim\"); s:get_device() --> sim:0"),
    typed_function<open_stream_scope, "stream", "stream, fn?, ...">(
        "Sends work for the stream's device to it in fn, or until the returned value is closed. "
        "Values can be used in any stream, which then waits for the stream that computes them",
        "tide.stream(tide.Stream(\"sim\"), function() return tide.ones(2, {device = \"sim\"}) end) "
        "--> {1.0, 1.0}"),
    typed_function<current_stream, "current_stream", "device?">(
        "The current stream", "tide.current_stream(\"cpu\"):get_device() --> cpu"),
};

constexpr Function kEventMethods[] = {
    typed_method<event_record, "record", "event, stream_or_device?">(
        "Marks the current end of the queue",
        "local e = tide.Event(); e:record(); e:synchronize(); e:query() --> true"),
    typed_method<event_wait, "wait", "event, stream_or_device?">(
        "Makes later work of the stream or device start after the event; the script does not wait",
        "local e = tide.Event(); e:record(); e:wait(\"sim\")"),
    typed_method<event_query, "query", "event">(
        "Whether the device has reached the event",
        "local e = tide.Event(); e:record(); tide.synchronize(); e:query() --> true"),
    typed_method<event_synchronize, "synchronize", "event">(
        "Waits until the device has reached the event",
        "local e = tide.Event(); e:record(); e:synchronize(); e:query() --> true"),
    typed_method<event_elapsed, "elapsed_time", "event, later">(
        "Milliseconds from this event to a later one. On a sim configured like a card "
        "(tide.sim.configure) the time is modelled, not measured",
        "local a, b = tide.Event{timing = true}, tide.Event{timing = true}; a:record(); "
        "b:record(); "
        "a:elapsed_time(b) >= 0 --> true"),
};

constexpr Function kStreamMethods[] = {
    typed_method<stream_synchronize, "synchronize", "stream">(
        "Waits until the stream is empty",
        "local s = tide.Stream(\"sim\"); s:synchronize(); s:query() --> true"),
    typed_method<stream_query, "query", "stream">(
        "Whether the stream is empty",
        "local s = tide.Stream(\"sim\"); s:synchronize(); s:query() --> true"),
    typed_method<stream_wait_event, "wait_event", "stream, event">(
        "Makes later work start after the event",
        "local e, s = tide.Event(), tide.Stream(\"sim\"); e:record(); s:wait_event(e)"),
    typed_method<stream_wait_stream, "wait_stream", "stream, stream">(
        "Makes later work start after the work currently queued in the other stream",
        "local s = tide.Stream(\"sim\"); s:wait_stream(tide.current_stream(\"sim\"))"),
    typed_method<stream_record_event, "record_event", "stream, event?">(
        "Marks the current end of the queue; returns the event",
        "local s = tide.Stream(\"sim\"); local e = s:record_event(); e:synchronize(); e:query() "
        "--> "
        "true"),
    typed_method<stream_device, "get_device", "stream">(
        "The device of the stream", "tide.Stream(\"sim\"):get_device() --> sim:0"),
};

}  // namespace

std::span<const Function> event_functions() { return kEventFunctions; }
std::span<const Function> event_methods() { return kEventMethods; }
std::span<const Function> stream_methods() { return kStreamMethods; }

void open_event_classes(lua_State* L) {
  const luaL_Reg of_events[] = {{"__tostring", guard<typed<event_text, "tostring", "event">>},
                                {nullptr, nullptr}};
  open_class<EventObject>(L, of_events, kEventMethods, "event");
  const luaL_Reg of_streams[] = {{"__eq", guard<same_stream>},
                                 {"__tostring", guard<typed<stream_text, "tostring", "stream">>},
                                 {nullptr, nullptr}};
  open_class<StreamObject>(L, of_streams, kStreamMethods, "stream");
}

}  // namespace tide::bindings
