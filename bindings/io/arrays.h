// Converts between tensors and arrays in files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <string>
#include <vector>

#include "bindings/ops/call.h"
#include "runtime/io/host_array.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

/// Arrays read from tensors, ready to be written.
class ArraysToWrite {
 public:
  /// Adds the elements of x. Waits for them.
  void add(std::string name, const Tensor& x);
  std::span<const ArrayToWrite> arrays() const { return arrays_; }

 private:
  std::vector<ArrayToWrite> arrays_;
  std::vector<HostArray> elements_;  ///< referenced by `arrays_`
};

/// Adds all tensors of the table at a stack index, sorted by name; names in nested tables are
/// joined with dots.
void add_table(lua_State* L, int index, const std::string& prefix, const char* function,
               std::vector<std::pair<std::string, Tensor>>& tensors);

/// A tensor on `device` with the array's elements.
Tensor tensor_of(HostArray array, Device device);

/// Pushes a table from names to tensors.
void push_arrays(lua_State* L, NamedArrays arrays, Device device);

}  // namespace tide::bindings
