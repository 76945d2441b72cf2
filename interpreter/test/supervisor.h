// A process between `tide test` and a test process that kills the test's remaining descendants.
#pragma once

#include <functional>

namespace tide {

/// Runs `work` in a child process, kills all its descendants when it ends, and then ends with the
/// same exit status or signal. SIGTERM, or the end of the parent process, kills all of them
/// immediately. Call it in a newly forked process with one thread.
[[noreturn]] void supervise(const std::function<void()>& work);

}  // namespace tide
