#include "runtime/device/modelled/modelled_time.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>

#include "runtime/profile/recorder.h"

namespace tide {

namespace modelled {
namespace {

std::atomic<double> script{0};

}  // namespace

double script_time() { return script.load(std::memory_order_relaxed); }

void script_has_seen(double end) {
  double before = script_time();
  while (before < end && !script.compare_exchange_weak(before, end, std::memory_order_relaxed)) {
  }
}

int64_t on_profile_clock(double time) {
  // The script cannot have seen any work of this profile done before its first event.
  static std::mutex mutex;
  static int64_t begin = 0;
  static double script_then = 0;
  const std::lock_guard lock(mutex);
  if (begin != profile::begin_of_profile()) {
    begin = profile::begin_of_profile();
    script_then = script_time();
  }
  return begin + std::llround(1e9 * (time - script_then));
}

}  // namespace modelled

void StreamTime::note(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (ticket != last_ + 1) {  // nothing was modelled meanwhile
    ends_.clear();
    first_ = ticket;
  }
  try {
    ends_.push_back(now_);
  } catch (const std::bad_alloc&) {  // the times before are replaced by this one
    if (!ends_.empty()) ends_.back() = now_;
  }
  last_ = ticket;
  if (ends_.size() > kKept) ends_.pop_front();
}

double StreamTime::end_of(uint64_t ticket) const {
  const std::lock_guard lock(mutex_);
  if (ends_.empty() || ticket < first_) return 0;
  const uint64_t oldest = last_ + 1 - ends_.size();
  return ends_[std::clamp(ticket, oldest, last_) - oldest];
}

double Timetable::take(double ready, double length) {
  double begin = std::max(ready, begin_);
  auto next = std::upper_bound(busy_.begin(), busy_.end(), begin,
                               [](double time, const Span& span) { return time < span.end; });
  for (; next != busy_.end() && next->begin < begin + length; ++next) begin = next->end;
  const double end = begin + length;
  if (length == 0) return begin;
  const bool meets_next = next != busy_.end() && next->begin == end;
  const bool meets_last = next != busy_.begin() && std::prev(next)->end == begin;
  if (meets_last) {
    std::prev(next)->end = meets_next ? next->end : end;
    if (meets_next) busy_.erase(next);
  } else if (meets_next) {
    next->begin = begin;
  } else {
    busy_.insert(next, {begin, end});
  }
  if (busy_.size() > kMostSpans) {
    begin_ = busy_.front().end;
    busy_.pop_front();
  }
  return begin;
}

}  // namespace tide
