// Where the program waited, and for how long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/call_site.h"

namespace tide::engine {

/// The waits of one line of a script for one reason.
struct WaitRecord {
  CallSite site;
  std::string reason;  ///< "item", "print", "queue full", ...
  int64_t count = 0;
  double seconds = 0;
};
std::vector<WaitRecord> wait_report();
/// Total number of waits, and seconds waited, so far on this process.
int64_t wait_count();
double wait_seconds();

/// Why the calling thread waits for a device now; null: it does not. Safe in a signal handler.
const char* present_wait();

/// Adds a wait of the line that runs now.
void note_wait(const char* reason, double seconds);

}  // namespace tide::engine
