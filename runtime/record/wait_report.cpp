// The record of all waits of the process.
#include "runtime/record/wait_report.h"

#include <algorithm>
#include <mutex>

namespace tide::engine {
namespace {

struct WaitBook {
  std::mutex mutex;
  std::vector<WaitRecord> records;
  int64_t count = 0;
  double seconds = 0;
};

WaitBook& wait_book() {
  static WaitBook& book = *new WaitBook;
  return book;
}

}  // namespace

void note_wait(const char* reason, double seconds) {
  WaitBook& book = wait_book();
  const CallSite site = current_call_site();
  std::lock_guard lock(book.mutex);
  ++book.count;
  book.seconds += seconds;
  const auto found = std::find_if(
      book.records.begin(), book.records.end(),
      [&](const auto& record) { return record.site == site && record.reason == reason; });
  auto& record = found != book.records.end() ? *found : book.records.emplace_back();
  record.site = site;
  record.reason = reason;
  ++record.count;
  record.seconds += seconds;
}

std::vector<WaitRecord> wait_report() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().records;
}

int64_t wait_count() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().count;
}

double wait_seconds() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().seconds;
}

}  // namespace tide::engine
