// The script line that the calling thread works for. Ops, waits and failures carry it.
#pragma once

#include <string>
#include <string_view>

namespace tide {

namespace profile {
struct Event;
}

/// A line of a script. `file` is interned: it lives as long as the process, and equal names have
/// equal pointers.
struct CallSite {
  const char* file = "";  ///< empty: not known
  int line = 0;

  bool known() const { return *file != '\0'; }
  /// "lesson.lua:12", or "?".
  std::string text() const;
  friend bool operator==(const CallSite& a, const CallSite& b) = default;
};

namespace call_site_detail {
inline thread_local CallSite current;
}

/// Ops and waits of this thread belong to `site` from now on.
inline void set_call_site(CallSite site) { call_site_detail::current = site; }

/// The line last set on this thread.
inline CallSite current_call_site() { return call_site_detail::current; }

/// Assigns the event to this line.
void set_site(profile::Event& event, CallSite site);

/// The unique copy of a file name. Takes a lock: callers should cache the result.
const char* intern_file_name(std::string_view name);

}  // namespace tide
