// The record of all waits of the process.
#include "runtime/record/wait_report.h"

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <string_view>

#include "runtime/profile/recorder.h"

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

thread_local bool errors = false;

void profile_wait(const char* reason, double seconds, CallSite site, const Awaited& awaited) {
  profile::Event event{.end = profile::now(), .name = profile::keep_text(reason)};
  event.begin = event.end - static_cast<int64_t>(1e9 * seconds);
  event.kind = profile::EventKind::wait;
  event.file = site.file;
  event.line = site.line;
  const profile::SourceOp op{awaited.op, awaited.site.file, awaited.site.line};
  if (*awaited.op) event.source = profile::source_of({&op, 1});
  profile::add(event);
}

}  // namespace

void note_wait(const char* reason, double seconds, const Awaited& awaited) {
  WaitBook& book = wait_book();
  const CallSite site = current_call_site();
  if (profile::is_on()) profile_wait(reason, seconds, site, awaited);
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
  if (seconds < record.longest_seconds) return;
  record.longest = awaited;
  record.longest_seconds = seconds;
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

bool waits_are_errors() { return errors; }

void make_waits_errors(bool on) { errors = on; }

std::string advice_on_wait(const std::string& reason) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> reasons) {
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  };
  if (is_one_of({"item", "tolist", "print", "comparison", "stats", "bytes"}))
    return "keep the value on the device (sum it there), and read it once an epoch";
  if (reason == "to")
    return "to(device, {non_blocking = true}) waits only where the copy is first read";
  if (is_one_of({"synchronize", "tic", "toc", "benchmark", "profile", "elapsed_time", "event",
                 "stream", "set_num_threads"}))
    return "only measurements need it";
  if (reason == "queue full")
    return "the script is far ahead of the device: larger ops, or fewer of them, keep both busy";
  return "the result depends on values: ops with a fixed shape (where, masks) need not wait";
}

}  // namespace tide::engine
