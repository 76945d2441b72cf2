// The third part of planning: a group of ops becomes the steps that compute it.
#pragma once

#include "runtime/plan/grouping.h"
#include "runtime/plan/plan.h"

namespace tide {

/// Places of a window's numbers and offsets, counted as the recorder lists them.
struct ArgumentPlaces {
  explicit ArgumentPlaces(const WindowView& window);
  /// Of the number, or of the offset of the tensor, that is argument j of node i.
  uint32_t of(size_t i, int j) const { return places_[i][j]; }
  /// Of the offset of node i's region or iota.
  uint32_t of_iota(size_t i) const { return iotas_[i]; }

 private:
  std::vector<std::vector<uint32_t>> places_;
  std::vector<uint32_t> iotas_;
};

/// How a step finds the value of an argument.
BufferUse use_of(const WindowView& window, const Argument& argument, uint32_t offset);

/// Whether a later group computes a node that reads the value, or that replaces it.
bool is_read_after(const WindowView& window, const Grouping& grouping, size_t group,
                   const Node* value);

/// Appends the steps of a group to the plan.
void lower_group(const WindowView& window, const Grouping& grouping, const ArgumentPlaces& places,
                 const Group& group, Plan& plan);

}  // namespace tide
