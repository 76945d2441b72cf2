// The part of CUPTI's interface that tide uses, declared here so that the build does not need the
// toolkit; cupti_api_check.cpp compares it with cupti.h if that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tide::cuda::cupti {

using Status = int;  ///< CUptiResult; 0: success
constexpr Status kInsufficientPrivileges = 35, kOtherSubscriber = 39, kVirtualizedPrivileges = 40;

using Subscriber = void*;  ///< CUpti_SubscriberHandle
using Callback = void (*)(void* data, int domain, uint32_t call, const void* about);
using GiveTime = uint64_t (*)();
using GiveBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using TakeBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                            size_t used);

/// CUpti_ActivityKind
enum Kind : int {
  kCopy = 1,
  kFill = 2,
  kDriverCall = 4,
  kRuntimeCall = 5,
  kKernel = 10,
  kPeerCopy = 22,
  kCorrelation = 39
};
constexpr int kCustom = 3;  ///< CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
constexpr uint32_t kFlushForced = 1;

// Records, up to the last field that tide uses. These fields have the same offsets in CUPTI 12 and
// 13, whose records differ only after them.
struct Record {
  int kind;
};
/// Links a call of the driver to the number that the thread had pushed.
struct Correlation {
  int kind, pushed_kind;
  uint64_t pushed;
  uint32_t call;
};
/// A kernel, copy or fill: begin and end in nanoseconds, 0 if unknown, and the call that launched
/// it.
template <size_t kBetween>
struct Work {
  int kind;
  uint8_t about[12];
  uint64_t begin, end;
  uint8_t more[kBetween];
  uint32_t call;
};
using KernelWork = Work<60>;
using CopyWork = Work<12>;  ///< fills, too
using PeerCopyWork = Work<28>;

#define TIDE_CUDA_CUPTI(X)                                                                        \
  X(subscribe, "cuptiSubscribe", (Subscriber * made, Callback callback, void* data))              \
  X(unsubscribe, "cuptiUnsubscribe", (Subscriber subscriber))                                     \
  X(use_clock, "cuptiActivityRegisterTimestampCallback", (GiveTime give))                         \
  X(use_buffers, "cuptiActivityRegisterCallbacks", (GiveBuffer give, TakeBuffer take))            \
  X(enable, "cuptiActivityEnable", (Kind kind))                                                   \
  X(disable, "cuptiActivityDisable", (Kind kind))                                                 \
  X(flush, "cuptiActivityFlushAll", (uint32_t flags))                                             \
  X(next_record, "cuptiActivityGetNextRecord", (uint8_t * buffer, size_t used, Record * *record)) \
  X(push, "cuptiActivityPushExternalCorrelationId", (int pushed_kind, uint64_t number))           \
  X(pop, "cuptiActivityPopExternalCorrelationId", (int pushed_kind, uint64_t* number))            \
  X(status_name, "cuptiGetResultString", (Status status, const char** name))                      \
  X(version, "cuptiGetVersion", (uint32_t * version))

/// Functions of the library.
struct Table {
#define TIDE_MEMBER(member, name, parameters) Status(*member) parameters = nullptr;
  TIDE_CUDA_CUPTI(TIDE_MEMBER)
#undef TIDE_MEMBER
};

}  // namespace tide::cuda::cupti
