// Where the program waited, and for how long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/call_site.h"

namespace tide::engine {

/// What a wait was for: the op that computes the value, and the line that queued it. Without a
/// name: all queued work.
struct Awaited {
  const char* op = "";
  CallSite site;
};

/// The waits of one line of a script for one reason.
struct WaitRecord {
  CallSite site;
  std::string reason;  ///< "item", "print", "queue full", ...
  int64_t count = 0;
  double seconds = 0;
  Awaited longest;  ///< what the longest wait was for
  double longest_seconds = 0;
};
std::vector<WaitRecord> wait_report();
/// Total number of waits, and seconds waited, in this process.
int64_t wait_count();
double wait_seconds();

/// Why the calling thread is currently waiting for a device; or null. Safe in a signal handler.
const char* present_wait();

/// Records a wait by the current line, which ends now.
void note_wait(const char* reason, double seconds, const Awaited& awaited = {});

/// Whether waits of this thread are errors.
bool waits_are_errors();
void make_waits_errors(bool on);

/// What to do instead of a wait for this reason: "keep the sum on the device ...".
std::string advice_on_wait(const std::string& reason);

}  // namespace tide::engine
