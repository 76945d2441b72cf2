// Starts and stops CUPTI, and joins its records to steps.
#include "runtime/cuda/libraries/cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "runtime/cuda/libraries/libraries.h"

namespace tide::cuda {
namespace {

/// Launches can be correlated with steps only if API calls are recorded, too. Libraries call the
/// runtime.
constexpr cupti::Kind kKinds[] = {cupti::kCorrelation, cupti::kDriverCall, cupti::kRuntimeCall,
                                  cupti::kKernel,      cupti::kCopy,       cupti::kPeerCopy,
                                  cupti::kFill};
constexpr size_t kBufferBytes = size_t{1} << 20, kBufferAlignment = 8;
/// Limits of a profile: 100 MB of launches, and 128 MB of links to steps.
constexpr size_t kMostTimed = size_t{1} << 22, kMostLinks = size_t{1} << 23;

uint64_t give_time() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

/// Without memory CUPTI drops records.
void give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *most_records = 0;  // as many as fit
}

/// The callback of a subscriber that needs none.
void ignore_call(void*, int, uint32_t, const void*) {}

/// The likely cause of an error.
const char* hint_for(cupti::Status status) {
  switch (status) {
    case cupti::kInsufficientPrivileges:
    case cupti::kVirtualizedPrivileges:
      return ": the driver lets only administrators profile (NVreg_RestrictProfilingToAdminUsers)";
    case cupti::kOtherSubscriber:
      return ": another tool profiles this process";
    default:
      return "";
  }
}

}  // namespace

Cupti& Cupti::of_process() {
  static Cupti& cupti = *new Cupti;
  return cupti;
}

/// Opens the library on the first call.
bool Cupti::open() {
  if (tried_) return table_ != nullptr;
  tried_ = true;
  void* const library = open_library(Library::cupti);
  if (!library) {
    refusal_ = "CUPTI was not found: see tide info";
    return false;
  }
  bool complete = true;
#define TIDE_FIND(member, name, parameters)                                                \
  functions_.member = reinterpret_cast<decltype(functions_.member)>(dlsym(library, name)); \
  complete = complete && functions_.member;
  TIDE_CUDA_CUPTI(TIDE_FIND)
#undef TIDE_FIND
  if (!complete) {
    refusal_ = "this CUPTI lacks functions";
    return false;
  }
  table_ = &functions_;
  if (const std::string version = version_of(Library::cupti, library); !version.empty())
    name_ += " " + version;
  return true;
}

/// Whether a call has succeeded; otherwise stores the reason.
bool Cupti::accepts(cupti::Status status) {
  if (status == 0) return true;
  const char* name = nullptr;
  const bool has_name = table_->status_name(status, &name) == 0 && name;
  refusal_ = name_ + " refuses (" + (has_name ? name : "error " + std::to_string(status)) + ")" +
             hint_for(status);
  return false;
}

const StepClock& Cupti::clock() {
  static const StepClock clock{[] { return of_process().start(); },
                               [] { return of_process().stop(); },
                               [] { return of_process().description(); }};
  return clock;
}

bool Cupti::start() {
  const std::lock_guard lock(mutex_);
  if (!open()) return false;
  refusal_.clear();
  {
    const std::lock_guard records(records_mutex_);  // late records belong to an earlier profile
    timed_.clear();
    links_.clear();
  }
  // Only one tool can subscribe, so this fails if there is another.
  if (!accepts(table_->subscribe(&subscriber_, ignore_call, nullptr))) return false;
  bool accepted = accepts(table_->use_clock(give_time)) &&
                  accepts(table_->use_buffers(give_buffer, take_buffer));
  for (const cupti::Kind kind : kKinds) accepted = accepted && accepts(table_->enable(kind));
  if (!accepted) end();
  return accepted;
}

void Cupti::end() {
  for (const cupti::Kind kind : kKinds) table_->disable(kind);
  table_->flush(cupti::kFlushForced);
  table_->unsubscribe(subscriber_);
}

std::unordered_map<int64_t, StepClock::Times> Cupti::stop() {
  const std::lock_guard lock(mutex_);
  end();
  std::vector<Timed> timed;
  std::vector<Link> links;
  {
    const std::lock_guard records(records_mutex_);
    timed.swap(timed_);
    links.swap(links_);
  }
  const auto is_before = [](const Link& a, const Link& b) { return a.call < b.call; };
  std::sort(links.begin(), links.end(), is_before);
  std::unordered_map<int64_t, Times> steps;
  for (const auto& [call, times] : timed) {
    const auto link = std::lower_bound(links.begin(), links.end(), Link{call, 0}, is_before);
    if (link == links.end() || link->call != call) continue;
    Times& step = steps.try_emplace(link->step, times).first->second;
    step.begin = std::min(step.begin, times.begin);
    step.end = std::max(step.end, times.end);
  }
  return steps;
}

std::string Cupti::description() const {
  const std::lock_guard lock(mutex_);
  if (!tried_) return "";
  return refusal_.empty() ? name_ : "CUDA events, as " + refusal_;
}

void Cupti::take_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t used) {
  Cupti& cupti = of_process();
  const std::lock_guard lock(cupti.records_mutex_);
  try {
    cupti::Record* record = nullptr;
    while (cupti.table_->next_record(buffer, used, &record) == 0) cupti.keep(*record);
  } catch (const std::bad_alloc&) {  // the remaining steps have no times
  }
  std::free(buffer);
}

void Cupti::keep(const cupti::Record& record) {
  switch (record.kind) {
    case cupti::kKernel:
      return keep_work<cupti::KernelWork>(record);
    case cupti::kCopy:
    case cupti::kFill:
      return keep_work<cupti::CopyWork>(record);
    case cupti::kPeerCopy:
      return keep_work<cupti::PeerCopyWork>(record);
    case cupti::kCorrelation: {
      const auto& link = reinterpret_cast<const cupti::Correlation&>(record);
      if (link.pushed_kind == cupti::kCustom && links_.size() < kMostLinks)
        links_.push_back({link.call, static_cast<int64_t>(link.pushed)});
      return;
    }
    default:  // calls
      return;
  }
}

template <class Work>
void Cupti::keep_work(const cupti::Record& record) {
  const auto& work = reinterpret_cast<const Work&>(record);
  if (work.end == 0 || timed_.size() >= kMostTimed) return;
  timed_.push_back({work.call, {static_cast<int64_t>(work.begin), static_cast<int64_t>(work.end)}});
}

}  // namespace tide::cuda
