// A fake libnvidia-ml.so.1: one device with fixed figures, without a fan sensor.
#include <cstdio>

#define TIDE_EXPORT extern "C" __attribute__((visibility("default"))) int

namespace {
constexpr int kNotSupported = 3;
}

TIDE_EXPORT nvmlInit_v2() { return 0; }
TIDE_EXPORT nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.65.06");
  return 0;
}
TIDE_EXPORT nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = nullptr;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  *device = nullptr;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetName(void*, char* text, unsigned size) {
  std::snprintf(text, size, "Fake GPU 0");
  return 0;
}
TIDE_EXPORT nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
  memory[0] = 1024ull << 20;
  memory[1] = 768ull << 20;
  memory[2] = 256ull << 20;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetUtilizationRates(void*, unsigned* use) {
  use[0] = 87;
  use[1] = 12;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetTemperature(void*, int, unsigned* degrees) {
  *degrees = 41;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 123400;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetFanSpeed(void*, unsigned*) { return kNotSupported; }
TIDE_EXPORT nvmlDeviceGetPerformanceState(void*, unsigned* state) {
  *state = 0;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetClockInfo(void*, int which, unsigned* megahertz) {
  *megahertz = which == 2 ? 2619 : 1980;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetEccMode(void*, unsigned* now, unsigned* pending) {
  *now = *pending = 1;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetComputeMode(void*, unsigned* mode) {
  *mode = 0;
  return 0;
}
TIDE_EXPORT nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* infos) {
  struct Info {
    unsigned id;
    unsigned long long bytes;
    unsigned instances[2];
  };
  *static_cast<Info*>(infos) = {4711, 200ull << 20, {0, 0}};
  *count = 1;
  return 0;
}
