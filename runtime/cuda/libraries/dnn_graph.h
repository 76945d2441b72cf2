// Graphs of several operations for cuDNN, written as expressions. All arrays have four dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/cuda/libraries/dnn_descriptor.h"

namespace tide::cuda {

/// Sizes, strides and type of an array of a graph, whether or not it is stored.
struct DnnForm {
  std::array<int64_t, 4> sizes;
  std::array<int64_t, 4> strides;
  dnn::DataType type;
  int64_t alignment = 16;  ///< of its address, in bytes

  /// Contiguous, row-major.
  static DnnForm dense(const std::array<int64_t, 4>& sizes, dnn::DataType type);
  /// The same elements with the last two dimensions swapped.
  DnnForm transposed() const;
};

/// An array of a graph; valid as long as the graph.
struct DnnArray {
  const DnnDescriptor* tensor;
  DnnForm form;
};

/// Collects operations. Results are not stored unless `into` is a stored array. Throws DnnRefusal
/// if a call of cuDNN fails.
class DnnGraph {
 public:
  /// An array in memory.
  DnnArray stored(int64_t name, const DnnForm& form);
  /// A float32 that is passed at each run.
  DnnArray number(int64_t name);

  /// Elementwise, in float32; dimensions of size 1 are broadcast. `type`: of the result.
  DnnArray map(dnn::Map how, const DnnArray& x, const std::optional<DnnArray>& b = {},
               const std::optional<DnnArray>& into = {}, dnn::DataType type = dnn::kFloat32);
  /// The position of each element of x along a dimension, from 0.
  DnnArray index(const DnnArray& x, int64_t dim);
  /// Where a >= b.
  DnnArray not_less(const DnnArray& a, const DnnArray& b);
  DnnArray select(const DnnArray& condition, const DnnArray& x, const DnnArray& otherwise);
  /// Reduces the last dimension to size 1.
  DnnArray reduce(dnn::Reduction how, const DnnArray& x);
  /// Matrix products, summed in float32.
  DnnArray product(const DnnArray& a, const DnnArray& b, const std::optional<DnnArray>& into = {});
  /// x with its last two dimensions swapped, in `type`.
  DnnArray transposed(const DnnArray& x, dnn::DataType type);

  DnnDescriptor finish(dnn::Handle handle) const;

 private:
  DnnArray array(int64_t name, const DnnForm& form, std::optional<dnn::Property> kind);
  DnnArray unstored(const DnnForm& form);
  DnnDescriptor& make(dnn::Kind kind);
  DnnDescriptor& make_map(dnn::Map how, dnn::DataType compute, std::optional<int64_t> dim = {});
  void add_map(const DnnDescriptor& how, const DnnArray& x, const std::optional<DnnArray>& b,
               const DnnArray& y, const std::optional<DnnArray>& condition = {});
  void add(DnnDescriptor& operation);

  std::deque<DnnDescriptor> descriptors_;
  std::vector<dnn::Descriptor> operations_;
  int64_t next_name_ = 1000;  ///< of arrays that are not stored
};

}  // namespace tide::cuda
