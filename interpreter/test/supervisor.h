// Stands between `tide test` and a test process, to end whatever that leaves behind.
#pragma once

#include <functional>

namespace tide {

/// Becomes the guard of a process that runs `work`, and ends as that does: by its exit status or
/// its signal, after all processes that it started, and those started by them, have been killed.
/// SIGTERM ends all of them at once, and so does the end of the process that called. For a process
/// that was just forked and has one thread.
[[noreturn]] void supervise(const std::function<void()>& work);

}  // namespace tide
