#include "tests/cuda/fake/attributes.h"

namespace fake {

using namespace tide::cuda;

int attribute_of(Attribute which, int card, int capability) {
  switch (which) {
    case kMaxThreadsPerBlock:
      return 1024;
    case kSharedMemoryPerBlock:
      return 48 << 10;
    case kWarpSize:
      return 32;
    case kClockRate:
      return 1000000;
    case kMultiprocessors:
      return 4;
    case kMemoryClockRate:
      return 1000000;
    case kMemoryBusWidth:
      return 64;
    case kEccEnabled:
      return 1;
    case kPciBus:
      return 65 + card;
    case kPciDevice:
      return 3;
    case kL2CacheBytes:
      return 1 << 20;
    case kMaxThreadsPerMultiprocessor:
      return 2048;
    case kSharedMemoryPerBlockOptIn:
      return (capability < 80 ? 64 : capability < 90 ? 163 : 227) << 10;
    case kCapabilityMajor:
      return capability / 10;
    case kCapabilityMinor:
      return capability % 10;
    default:
      return 0;
  }
}

}  // namespace fake
