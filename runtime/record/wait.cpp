// The only place where values are waited for.
#include "runtime/record/wait.h"

#include <string>

#include "runtime/device/clock.h"
#include "runtime/record/recorder.h"
#include "runtime/record/replay.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

thread_local const char* volatile present_reason = nullptr;

/// Publishes the reason of this thread's wait for its lifetime.
struct PresentWait {
  explicit PresentWait(const char* reason) { present_reason = reason; }
  ~PresentWait() { present_reason = nullptr; }
  PresentWait(const PresentWait&) = delete;
  PresentWait& operator=(const PresentWait&) = delete;
};

[[noreturn]] void throw_unwanted(const Stream& stream, const char* reason,
                                 const engine::Awaited& awaited) {
  std::string what = *awaited.op ? awaited.op : std::string("all that is queued");
  if (*awaited.op && awaited.site.known()) what += ", queued at " + awaited.site.text();
  throw Error("no_sync: " + std::string(reason) + " waits for " + stream.device.device.name() +
              " (" + what + "); " + engine::advice_on_wait(reason));
}

}  // namespace

const char* engine::present_wait() { return present_reason; }

void wait_for(Stream& stream, uint64_t ticket, const char* reason, const engine::Awaited& awaited) {
  if (engine::waits_are_errors()) throw_unwanted(stream, reason, awaited);
  if (stream.queue->completed() >= ticket) return stream.queue->note_seen(ticket);
  const PresentWait present(reason);
  const double start = seconds();
  try {
    stream.queue->wait(ticket);
  } catch (const Interrupted&) {
    engine::note_wait(reason, seconds() - start, awaited);
    throw;
  }
  engine::note_wait(reason, seconds() - start, awaited);
}

void queue_value(Node& node, const char* reason) {
  if (ReplayRecording* recording = ReplayRecording::of_thread()) [[unlikely]]
    recording->note_read(node);
  Window& window = Recorder::of_thread().window(*node.device);
  const FlushCause cause{FlushCause::Kind::needed, reason};
  if (node.state == Node::State::recorded) window.flush(cause);
  // A value that other nodes of its window read may have become recomputable.
  if (node.state == Node::State::recomputable) {
    window.want(node);
    window.flush(cause);
  }
  if (node.state == Node::State::failed) raise(*node.failure, reason);
  if (node.state != Node::State::stored) throw InternalError("a value is neither stored nor lost");
}

void check_value(const Node& node, const char* reason) {
  if (const auto value_error = node.device->failures.find_unreported(node.storage->data))
    raise(*value_error->failure, reason);
}

void* wait_for(Node& node, const char* reason) {
  queue_value(node, reason);
  // A value written by the host itself has no ticket.
  if (node.ticket)
    wait_for(node.device->stream_of(*node.storage), node.ticket, reason, {node.name, node.site});
  check_value(node, reason);
  return node.storage->data;
}

void raise(const Failure& failure, const char* reason) {
  // Ops recorded before the error is raised are flushed first.
  if (!failure.is_reported() && !Recorder::of_thread().all_or_nothing)
    Recorder::of_thread().flush({FlushCause::Kind::asked, reason});
  const_cast<Failure&>(failure).report();
  const CallSite here = current_call_site();
  std::string text = failure.what;
  if (failure.site.known() || here.known())
    text = failure.text() + ", noticed at " + here.text() + " (" + reason + ")";
  if (failure.shortage) throw MemoryError(text);
  throw Error(text);
}

}  // namespace tide
