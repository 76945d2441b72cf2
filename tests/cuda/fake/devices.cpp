// Devices, and their contexts.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cuda/fake/attributes.h"
#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/settings.h"

namespace fake {

std::vector<std::unique_ptr<Device>>& devices() {
  static auto& all = *new std::vector<std::unique_ptr<Device>>;
  return all;
}

namespace {
thread_local Device* the_current = nullptr;
}

Device* current() { return the_current; }

Result state() {
  if (devices().empty()) return kNotInitialized;
  if (is_in_callback()) return kNotPermitted;
  return current() ? current()->lost.load() : kInvalidContext;
}

namespace {

int card_of(int ordinal) { return devices()[static_cast<size_t>(ordinal)]->card; }

/// The devices that CUDA_VISIBLE_DEVICES lists by number, up to the first invalid one; all devices
/// if it is not set or lists UUIDs.
std::vector<int> visible_cards() {
  std::vector<int> cards;
  const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!text || std::string(text).starts_with("GPU-")) {
    for (int i = 0; i < settings().devices; ++i) cards.push_back(i);
    return cards;
  }
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) {
    const int card = std::atoi(name.c_str());
    if (card < 0 || card >= settings().devices) break;
    cards.push_back(card);
  }
  return cards;
}

}  // namespace

int capability_of(int ordinal) {
  return card_of(ordinal) == settings().old_device ? 61 : settings().capability;
}

Result init(unsigned) {
  if (settings().init_error) return settings().init_error;
  if (!devices().empty()) return kSuccess;
  const std::vector<int> cards = visible_cards();
  if (cards.empty()) return kNoDevice;
  if (settings().count_waits)
    std::atexit(
        [] { std::fprintf(stderr, "fake driver: %ld waits\n", static_cast<long>(host_waits())); });
  if (settings().report_peers)
    std::atexit([] { std::fprintf(stderr, "fake driver: %s\n", report_of_copies().c_str()); });
  for (const int card : cards) {
    devices().push_back(std::make_unique<Device>());
    devices().back()->ordinal = static_cast<int>(devices().size()) - 1;
    devices().back()->card = card;
  }
  return kSuccess;
}

Result device_count(int* count) {
  *count = static_cast<int>(devices().size());
  return devices().empty() ? kNotInitialized : kSuccess;
}

static bool is_device(DeviceOrdinal device) {
  return device >= 0 && device < static_cast<int>(devices().size());
}

Result device_get(DeviceOrdinal* device, int ordinal) {
  *device = ordinal;
  return is_device(ordinal) ? kSuccess : kInvalidDevice;
}

Result device_name(char* name, int size, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  std::snprintf(name, static_cast<size_t>(size),
                settings().mig ? "Fake GPU %d MIG 1g.1gb" : "Fake GPU %d", card_of(device));
  return kSuccess;
}

Result device_attribute(int* value, Attribute which, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  *value = which == kComputeMode ? settings().compute_mode
                                 : attribute_of(which, card_of(device), capability_of(device));
  return kSuccess;
}

Result device_memory(size_t* bytes, DeviceOrdinal device) {
  *bytes = settings().memory;
  return is_device(device) ? kSuccess : kInvalidDevice;
}

Result context_retain(Context* context, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  Device& retained = *devices()[static_cast<size_t>(device)];
  if (device == settings().busy_device) return kDeviceUnavailable;
  std::lock_guard lock(retained.context_mutex);
  ++retained.holders;
  *context = reinterpret_cast<Context>(&retained);
  return kSuccess;
}

/// The last release destroys the context.
Result context_release(DeviceOrdinal number) {
  if (!is_device(number)) return kInvalidDevice;
  Device& device = *devices()[static_cast<size_t>(number)];
  {
    std::lock_guard lock(device.context_mutex);
    if (device.holders == 0) return kInvalidContext;
    if (--device.holders > 0) return device.lost;
  }
  const Result lost = device.lost;
  device.reset();
  return lost;
}

Result context_use(Context context) {
  if (is_in_callback()) return kNotPermitted;
  the_current = reinterpret_cast<Device*>(context);
  return kSuccess;
}

}  // namespace fake
