// Keeps derived values with the nodes that they are computed from.
#include "runtime/tensor/derived.h"

#include <algorithm>
#include <vector>

#include "runtime/record/replay.h"
#include "runtime/tensor/body.h"

namespace tide {
namespace {

/// Derived values of one value: convolutions of as many sizes share a weight.
constexpr size_t kMostDerived = 8;

/// Whether the value will never be there, as far as is known.
bool is_lost(Node& node) {
  if (node.state == Node::State::failed) return true;
  ErrorTable& failures = node.device->failures;
  return node.storage && !failures.empty() && failures.find(node.storage->data);
}

}  // namespace

Tensor derived_from(const Tensor& x, std::span<const int64_t> key,
                    const std::function<Tensor()>& make) {
  Node& node = *x.body().cell->value;
  if (node.state != Node::State::stored || x.layout().offset != 0 ||
      x.numel() != node.shape.numel() || node.shape.numel() == 0)
    return {};
  if (const auto* recording = ReplayRecording::of_thread(); recording && recording->is_step(node))
    return {};  // the next run has another x
  if (!node.derived) node.derived = std::make_unique<std::vector<DerivedValue>>();
  auto& known = *node.derived;
  const auto found = std::find_if(known.begin(), known.end(), [&](const DerivedValue& derived) {
    return std::ranges::equal(derived.key, key);
  });
  if (found != known.end() && !is_lost(*found->value)) return make_tensor(found->value);
  if (found != known.end()) known.erase(found);
  const ReplayRecording::Pause pause;
  Tensor value = make();
  if (!value.defined()) return value;
  if (known.size() >= kMostDerived) known.erase(known.begin());
  known.push_back({{key.begin(), key.end()}, value.body().cell->value});
  return value;
}

bool has_room_for_derived(const Tensor& x, size_t bytes) {
  const MemoryStatistics memory = x.body().cell->device->allocator.statistics();
  return memory.limit == 0 || bytes < (memory.limit - std::min(memory.in_use, memory.limit)) / 8;
}

}  // namespace tide
