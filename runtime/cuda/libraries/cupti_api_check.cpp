// Compares cupti_api.h with CUPTI's header at compile time, if that is installed.
#if __has_include(<cupti.h>) && __has_include(<cuda_runtime_api.h>)
#include <cupti.h>

#include "runtime/cuda/driver/check_calls.h"
#include "runtime/cuda/libraries/cupti_api.h"

namespace tide::cuda::cupti {
namespace {

#define TIDE_SAME(member, function) static_assert(same_call(decltype(Table::member)(), &function))
TIDE_SAME(subscribe, cuptiSubscribe);
TIDE_SAME(unsubscribe, cuptiUnsubscribe);
TIDE_SAME(use_clock, cuptiActivityRegisterTimestampCallback);
TIDE_SAME(use_buffers, cuptiActivityRegisterCallbacks);
TIDE_SAME(enable, cuptiActivityEnable);
TIDE_SAME(disable, cuptiActivityDisable);
TIDE_SAME(flush, cuptiActivityFlushAll);
TIDE_SAME(next_record, cuptiActivityGetNextRecord);
TIDE_SAME(push, cuptiActivityPushExternalCorrelationId);
TIDE_SAME(pop, cuptiActivityPopExternalCorrelationId);
TIDE_SAME(status_name, cuptiGetResultString);
TIDE_SAME(version, cuptiGetVersion);
static_assert(same_call(GiveTime(), CUpti_TimestampCallbackFunc()));
static_assert(same_call(GiveBuffer(), CUpti_BuffersCallbackRequestFunc()));
static_assert(same_call(TakeBuffer(), CUpti_BuffersCallbackCompleteFunc()));
static_assert(same_call(Callback(), CUpti_CallbackFunc()));
#undef TIDE_SAME

#define TIDE_SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
TIDE_SAME(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
TIDE_SAME(kOtherSubscriber, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
TIDE_SAME(kVirtualizedPrivileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
TIDE_SAME(kCopy, CUPTI_ACTIVITY_KIND_MEMCPY);
TIDE_SAME(kFill, CUPTI_ACTIVITY_KIND_MEMSET);
TIDE_SAME(kDriverCall, CUPTI_ACTIVITY_KIND_DRIVER);
TIDE_SAME(kRuntimeCall, CUPTI_ACTIVITY_KIND_RUNTIME);
TIDE_SAME(kKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
TIDE_SAME(kPeerCopy, CUPTI_ACTIVITY_KIND_MEMCPY2);
TIDE_SAME(kCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
TIDE_SAME(kCustom, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
TIDE_SAME(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
#undef TIDE_SAME

#define TIDE_SAME(ours, theirs)                                     \
  static_assert(offsetof(ours, kind) == offsetof(theirs, kind) &&   \
                offsetof(ours, begin) == offsetof(theirs, start) && \
                offsetof(ours, end) == offsetof(theirs, end) &&     \
                offsetof(ours, call) == offsetof(theirs, correlationId))
TIDE_SAME(KernelWork, CUpti_ActivityKernel9);  // of CUPTI 12
TIDE_SAME(CopyWork, CUpti_ActivityMemcpy5);
TIDE_SAME(CopyWork, CUpti_ActivityMemset4);
TIDE_SAME(PeerCopyWork, CUpti_ActivityMemcpyPtoP4);
#if CUPTI_API_VERSION >= 130000
TIDE_SAME(KernelWork, CUpti_ActivityKernel10);
TIDE_SAME(CopyWork, CUpti_ActivityMemcpy6);
#endif
#undef TIDE_SAME
static_assert(offsetof(Correlation, pushed_kind) ==
              offsetof(CUpti_ActivityExternalCorrelation, externalKind));
static_assert(offsetof(Correlation, pushed) ==
              offsetof(CUpti_ActivityExternalCorrelation, externalId));
static_assert(offsetof(Correlation, call) ==
              offsetof(CUpti_ActivityExternalCorrelation, correlationId));

}  // namespace
}  // namespace tide::cuda::cupti
#endif
