// Runs calls on channels-last planes as calls on plain ones.
#include "runtime/cpu/planes/plain_planes.h"

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
  bool is_result;
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

void on_plain_planes(ComputeCall& call, ComputeFunction function,
                     std::span<const int64_t> attributes, size_t plain) {
  std::vector<PlainCopy> copies;
  std::vector<ArrayView> views;
  const size_t inputs = call.inputs.size(), count = inputs + call.outputs.size();
  copies.reserve(count);  // the views point into them
  for (size_t i = 0; i < count; ++i) {
    const ArrayView& array = i < inputs ? call.inputs[i] : call.outputs[i - inputs];
    const bool is_copied = i != plain && array.layout.rank() == 4;
    if (is_copied) copies.push_back({array, i >= inputs});
    if (is_copied && i < inputs) copies.back().fetch();
    views.push_back(is_copied ? copies.back().view() : array);
  }
  ComputeCall on_copies = call;
  on_copies.inputs = std::span(views).first(inputs);
  on_copies.outputs = std::span(views).subspan(inputs);
  on_copies.attributes = attributes;
  function(on_copies);
  for (PlainCopy& copy : copies)
    if (copy.is_result) copy.deliver();
}

}  // namespace tide
