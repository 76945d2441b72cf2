#include "runtime/cuda/backend/host_fallback.h"

#include <algorithm>
#include <vector>

#include "runtime/ir/compute_failure.h"

namespace tide::cuda {
namespace {

/// Runs on the queue's thread only, without a team.
class OneThread : public Parallel {
 public:
  int threads() const override { return 1; }
  void for_range(int64_t n, int64_t, const std::function<void(int64_t, int64_t)>& body) override {
    if (n > 0) body(0, n);
  }
};

/// A host copy of the memory range that a view covers.
struct HostCopy {
  std::vector<std::byte> bytes;
  int64_t first = 0;  ///< offset of its first byte from the element at index 0

  explicit HostCopy(const ArrayView& view) {
    const auto size = static_cast<int64_t>(size_of(view.type));
    int64_t last = 0;
    for (int d = 0; d < view.layout.rank(); ++d) {
      const int64_t reach = (view.layout.shape[d] - 1) * view.layout.strides[d] * size;
      if (view.layout.shape[d] == 0) return;
      first += std::min<int64_t>(reach, 0);
      last += std::max<int64_t>(reach, 0);
    }
    bytes.resize(static_cast<size_t>(last - first + size));
  }
};

}  // namespace

std::optional<std::string> run_on_host(const ComputeStep& step, void* const* addresses,
                                       ComputeFunction function, Staging& staging) {
  std::vector<ArrayView> views = step.inputs;
  views.insert(views.end(), step.outputs.begin(), step.outputs.end());
  std::vector<HostCopy> copies;
  copies.reserve(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    HostCopy& copy = copies.emplace_back(views[i]);
    if (i < step.inputs.size())
      staging.download(
          copy.bytes.data(),
          reinterpret_cast<DevicePointer>(addresses[i]) + static_cast<uint64_t>(copy.first),
          copy.bytes.size());
    views[i].data = copy.bytes.data() - copy.first;
  }
  OneThread one;
  const std::span<const ArrayView> all(views);
  ComputeCall call{};
  call.op = step.op;
  call.inputs = all.first(step.inputs.size());
  call.outputs = all.subspan(step.inputs.size());
  call.attributes = step.attributes;
  call.parallel = &one;
  function(call);
  for (size_t i = step.inputs.size(); i < views.size(); ++i)
    staging.upload(reinterpret_cast<DevicePointer>(addresses[i]), copies[i].bytes.data(),
                   copies[i].bytes.size());
  if (!call.out_of_range) return std::nullopt;
  return wrong_position(call.position, call.limit);
}

}  // namespace tide::cuda
