// A fake libcupti.so.13: records the work of the fake driver, with the record sizes of CUPTI 13.
// TIDE_FAKE_CUPTI="subscribe=39" or "enable=35" makes that call fail with that status.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "runtime/cuda/libraries/cupti_api.h"
#include "tests/cuda/fake/libraries.h"

#define TIDE_ENTRY TIDE_EXPORT Status

namespace {

using namespace tide::cuda::cupti;

constexpr Status kInvalidParameter = 1, kNoMoreRecords = 12, kInvalidKind = 21, kQueueEmpty = 18,
                 kNoCallbacks = 7;

/// Bytes of a record.
size_t size_of(int kind) {
  switch (kind) {
    case kKernel:
      return 216;
    case kFill:
      return 88;
    case kCorrelation:
      return 24;
    default:
      return 96;
  }
}

std::mutex mutex;                             // guards the following
std::set<int>& enabled = *new std::set<int>;  // never destroyed: streams may outlive this library
bool subscribed = false;
GiveTime clock_given = nullptr;
GiveBuffer give_buffer = nullptr;
TakeBuffer take_buffer = nullptr;
uint8_t* buffer = nullptr;
size_t buffer_bytes = 0, used = 0;
uint32_t calls = 0;

thread_local std::vector<uint64_t> pushed;

/// The status of a call by TIDE_FAKE_CUPTI; 0 if it succeeds.
Status refusal(const char* call) {
  const char* const settings = std::getenv("TIDE_FAKE_CUPTI");
  const size_t length = std::strlen(call);
  return settings && std::strncmp(settings, call, length) == 0 && settings[length] == '='
             ? std::atoi(settings + length + 1)
             : 0;
}

void deliver_buffer() {
  if (buffer) take_buffer(nullptr, 0, buffer, buffer_bytes, used);
  buffer = nullptr;
}

template <class Made>
void add(const Made& record) {
  const size_t size = size_of(record.kind);
  if (buffer && used + size > buffer_bytes) deliver_buffer();
  if (!buffer) {
    size_t most = 0;
    give_buffer(&buffer, &buffer_bytes, &most);
    used = 0;
  }
  if (!buffer) return;
  std::memset(buffer + used, 0xee, size);
  std::memcpy(buffer + used, &record, sizeof record);
  used += size;
}

uint32_t note_call() {
  const std::lock_guard lock(mutex);
  ++calls;
  if (enabled.count(kCorrelation) && enabled.count(kDriverCall) && !pushed.empty())
    add(Correlation{kCorrelation, kCustom, pushed.back(), calls});
  return calls;
}

template <class Made>
void add_work(Kind kind, uint32_t call, uint64_t begin, uint64_t end) {
  Made work{};
  work.kind = kind;
  work.begin = begin;
  work.end = end;
  work.call = call;
  add(work);
}

void note_work(Kind kind, uint32_t call, uint64_t begin, uint64_t end) {
  const std::lock_guard lock(mutex);
  if (!enabled.count(kind)) return;
  if (kind == kKernel) return add_work<KernelWork>(kind, call, begin, end);
  if (kind == kPeerCopy) return add_work<PeerCopyWork>(kind, call, begin, end);
  add_work<CopyWork>(kind, call, begin, end);
}

uint64_t now() { return clock_given(); }

}  // namespace

TIDE_ENTRY cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return 0;
}

TIDE_ENTRY cuptiGetResultString(Status status, const char** name) {
  *name = status == kInsufficientPrivileges ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : status == kOtherSubscriber      ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                            : "CUPTI_ERROR_UNKNOWN";
  return 0;
}

TIDE_ENTRY cuptiSubscribe(Subscriber* made, Callback callback, void*) {
  if (const Status status = refusal("subscribe")) return status;
  const std::lock_guard lock(mutex);
  if (!made || !callback) return kInvalidParameter;
  if (subscribed) return kOtherSubscriber;
  *made = &subscribed;
  subscribed = true;
  return 0;
}

TIDE_ENTRY cuptiUnsubscribe(Subscriber subscriber) {
  const std::lock_guard lock(mutex);
  if (subscriber != &subscribed || !subscribed) return kInvalidParameter;
  subscribed = false;
  return 0;
}

TIDE_ENTRY cuptiActivityRegisterTimestampCallback(GiveTime give) {
  const std::lock_guard lock(mutex);
  if (!give) return kInvalidParameter;
  clock_given = give;
  return 0;
}

TIDE_ENTRY cuptiActivityRegisterCallbacks(GiveBuffer give, TakeBuffer take) {
  const std::lock_guard lock(mutex);
  if (!give || !take) return kInvalidParameter;
  give_buffer = give;
  take_buffer = take;
  return 0;
}

TIDE_ENTRY cuptiActivityEnable(Kind kind) {
  if (const Status status = refusal("enable")) return status;
  const std::lock_guard lock(mutex);
  if (!take_buffer || !clock_given) return kNoCallbacks;
  static constexpr fake::Watcher watcher{note_call, now, note_work};
  enabled.insert(kind);
  fake_watch(&watcher);
  return 0;
}

TIDE_ENTRY cuptiActivityDisable(Kind kind) {
  const std::lock_guard lock(mutex);
  enabled.erase(kind);
  if (enabled.empty()) fake_watch(nullptr);
  return 0;
}

TIDE_ENTRY cuptiActivityFlushAll(uint32_t) {
  const std::lock_guard lock(mutex);
  if (!take_buffer) return kNoCallbacks;
  deliver_buffer();
  return 0;
}

TIDE_ENTRY cuptiActivityGetNextRecord(uint8_t* start, size_t bytes, Record** record) {
  if (!start) return kInvalidParameter;
  uint8_t* next = start;
  if (*record) next = reinterpret_cast<uint8_t*>(*record) + size_of((*record)->kind);
  if (next >= start + bytes) return kNoMoreRecords;
  *record = reinterpret_cast<Record*>(next);
  return 0;
}

TIDE_ENTRY cuptiActivityPushExternalCorrelationId(int kind, uint64_t number) {
  if (kind != kCustom) return kInvalidKind;
  pushed.push_back(number);
  return 0;
}

TIDE_ENTRY cuptiActivityPopExternalCorrelationId(int kind, uint64_t* number) {
  if (kind != kCustom) return kInvalidKind;
  if (pushed.empty()) return kQueueEmpty;
  if (number) *number = pushed.back();
  pushed.pop_back();
  return 0;
}
