// cuDNN, opened at run time if installed, and the descriptors of its backend interface.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "runtime/cuda/libraries/dnn_api.h"
#include "runtime/device/launch_shortage.h"

namespace tide::cuda {

/// cuDNN's functions; null if cuDNN 9 is not installed. Opened on the first call.
const dnn::Table* dnn_table();

/// A failed call of cuDNN.
struct DnnRefusal {
  const char* call;
  dnn::Status status;
};

/// Throws unless `status` is success: LaunchShortage if cuDNN lacks memory, else DnnRefusal.
inline void demand(dnn::Status status, const char* call) {
  if (status == dnn::kHostAllocationFailed || status == dnn::kDeviceAllocationFailed)
    throw LaunchShortage(std::string("out of memory: ") + call + " failed");
  if (status != 0) throw DnnRefusal{call, status};
}

/// Owns a descriptor. Failed calls throw, like `demand`.
class DnnDescriptor {
 public:
  DnnDescriptor() = default;
  explicit DnnDescriptor(dnn::Kind kind);
  DnnDescriptor(DnnDescriptor&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  DnnDescriptor& operator=(DnnDescriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~DnnDescriptor();

  void set(dnn::Property property, dnn::Type type, int64_t count, const void* values);
  void set(dnn::Property property, std::span<const int64_t> numbers);
  void set(dnn::Property property, int64_t number) { set(property, std::span(&number, 1)); }
  void set(dnn::Property property, const DnnDescriptor& other);
  void set(dnn::Property property, std::span<const dnn::Descriptor> others);
  /// Reads up to `capacity` values, and returns the number of values available.
  int64_t get(dnn::Property property, dnn::Type type, int64_t capacity, void* values) const;
  void finalize();
  dnn::Descriptor raw() const { return raw_; }

 private:
  dnn::Descriptor raw_ = nullptr;
};

}  // namespace tide::cuda
