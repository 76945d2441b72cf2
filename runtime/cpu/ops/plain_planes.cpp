// Runs calls on channels-last planes as calls on plain ones.
#include "runtime/cpu/ops/plain_planes.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include "runtime/cpu/strided_walk.h"

namespace tide {
namespace {

void copy(const void* from, const Layout& from_layout, void* to, const Layout& to_layout,
          size_t size) {
  StridedWalk<2> walk(from_layout.shape, {from_layout.strides.data(), to_layout.strides.data()}, 0);
  for (int64_t i = from_layout.shape.numel(); i > 0; --i, walk.next())
    std::memcpy(static_cast<std::byte*>(to) + walk.offset(1) * static_cast<int64_t>(size),
                static_cast<const std::byte*>(from) + walk.offset(0) * static_cast<int64_t>(size),
                size);
}

/// A plain copy of a channels-last array.
struct PlainCopy {
  const ArrayView& channels_last;
  const Layout planes = as_planes(channels_last.layout);
  const size_t size = size_of(channels_last.type);
  std::vector<std::byte> bytes =
      std::vector<std::byte>(static_cast<size_t>(planes.shape.numel()) * size);

  ArrayView view() { return {bytes.data(), channels_last.type, Layout(planes.shape)}; }
  void fetch() { copy(channels_last.data, planes, bytes.data(), Layout(planes.shape), size); }
  void deliver() { copy(bytes.data(), Layout(planes.shape), channels_last.data, planes, size); }
};

}  // namespace

bool is_channels_last(const ComputeCall& call) { return call.attributes.back() != 0; }

void on_plain_planes(ComputeCall& call, ComputeFunction function) {
  std::vector<PlainCopy> inputs, outputs;
  std::vector<ArrayView> views;
  std::vector<int64_t> attributes(call.attributes.begin(), call.attributes.end());
  attributes.back() = 0;
  inputs.reserve(call.inputs.size());  // the views point into them
  outputs.reserve(call.outputs.size());
  for (const ArrayView& input : call.inputs) {
    inputs.push_back({input});
    inputs.back().fetch();
    views.push_back(inputs.back().view());
  }
  for (const ArrayView& output : call.outputs) {
    outputs.push_back({output});
    views.push_back(outputs.back().view());
  }
  ComputeCall plain = call;
  plain.inputs = std::span(views).first(inputs.size());
  plain.outputs = std::span(views).subspan(inputs.size());
  plain.attributes = attributes;
  function(plain);
  for (PlainCopy& output : outputs) output.deliver();
}

}  // namespace tide
