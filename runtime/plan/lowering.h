// The third part of planning: a group of ops becomes the steps that compute it.
#pragma once

#include "runtime/plan/grouping.h"
#include "runtime/plan/plan.h"

namespace tide {

/// Positions of a window's scalars and offsets in the recorder's lists.
struct ArgumentPlaces {
  explicit ArgumentPlaces(const WindowView& window);
  /// For argument j of node i: the position of the scalar, or of the tensor's offset.
  uint32_t of(size_t i, int j) const { return places_[i][j]; }
  /// The position of the offset of node i's region or iota.
  uint32_t of_iota(size_t i) const { return iotas_[i]; }

 private:
  std::vector<std::vector<uint32_t>> places_;
  std::vector<uint32_t> iotas_;
};

/// Where a step finds the value of an argument.
BufferUse use_of(const WindowView& window, const Argument& argument, uint32_t offset);

/// Whether a later group contains a node that reads or replaces the value.
bool is_read_after(const WindowView& window, const Grouping& grouping, size_t group,
                   const Node* value);

/// Appends the steps of a group to the plan.
void lower_group(const WindowView& window, const Grouping& grouping, const ArgumentPlaces& places,
                 const Group& group, Plan& plan);

}  // namespace tide
