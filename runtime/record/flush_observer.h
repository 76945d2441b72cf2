// Why windows are flushed, and who is notified.
#pragma once

#include <cstdint>
#include <functional>

namespace tide {

class Window;
struct Node;

/// The cause of a flush.
struct FlushCause {
  enum class Kind : uint8_t {
    asked,   ///< a call that flushes: `by`
    needed,  ///< a value is needed: by `by`
    cut,     ///< op `by` comes next, which cuts the window
    full,    ///< Window::kMostOps
    large,   ///< Window::kMostUnreadBytes
    eager,   ///< each op is flushed by itself
    stream   ///< the next op goes to another stream
  };
  Kind kind = Kind::asked;
  const char* by = "";  ///< the script's name of a function or op
};

/// Is notified of work that a thread sends to its queues.
struct FlushObserver {
  /// The window, which is not empty, is flushed next.
  std::function<void(const Window& window, const FlushCause& cause)> flushing;
  /// A value was copied to another device, or to pinned memory.
  std::function<void(const Node& source, const Node& copy)> copied;
};

/// The observer of this thread; null: none.
inline constinit thread_local const FlushObserver* flush_observer = nullptr;

}  // namespace tide
