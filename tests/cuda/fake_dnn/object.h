// Descriptors of the fake cuDNN: their properties, by the rules of each kind.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "runtime/cuda/libraries/dnn_api.h"
#include "tests/cuda/fake_dnn/convolution.h"
#include "tests/cuda/fake_dnn/graph.h"

namespace fake {

using namespace tide::cuda::dnn;

constexpr Status kBadParameter = 2000, kNotFinalized = 2004, kWrongCount = 2006, kWrongShape = 2008,
                 kWrongType = 2010, kWrongKind = 2012, kNotSupported = 3000, kFailed = 5000;

/// An engine, as the heuristics suggest it.
struct Engine {
  int mode;
  std::vector<int> notes;
  int64_t workspace;
  bool finalizes, is_trap;
};

struct Value {
  Type type;
  int64_t count;
  std::vector<char> bytes;
};

struct Object {
  explicit Object(Kind k) : kind(k) {}
  const Kind kind;
  bool finalized = false;
  std::map<Property, Value> values;
  std::optional<DnnArray> array;
  std::optional<DnnConvolution> convolution;
  DnnOperations operations;  ///< instead of a convolution
  const Engine* engine = nullptr;

  int64_t count(Property property) const { return values.at(property).count; }
  template <class T>
  T get(Property property, size_t i = 0) const {
    T value;
    std::memcpy(&value, values.at(property).bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  /// Sets a property, if it is valid for the kind.
  Status set(Property property, Type type, int64_t count, const void* data);
  /// Whether all required properties are set.
  bool is_complete() const;
  const Object& object(Property property, size_t i = 0) const {
    return *get<const Object*>(property, i);
  }
  bool has(Property property) const { return values.count(property) > 0; }
};

}  // namespace fake
