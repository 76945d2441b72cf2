// Result types of ops with several operands.
#include "runtime/ops/elementwise_types.h"

#include <algorithm>
#include <string>

namespace tide {

DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b) {
  const Weight weight_a = weight_of(a);
  const Weight weight_b = weight_of(b);
  if (weight_a == Weight::number && weight_b == Weight::number)
    throw DTypeError(std::string(name) + ": needs a tensor: got two numbers");
  return promote(type_of(a), weight_a, type_of(b), weight_b);
}

DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b,
                  const TensorOrNumber& c) {
  const DType pair = common_type(name, a, b);
  return promote(pair, std::max(weight_of(a), weight_of(b)), type_of(c), weight_of(c));
}

void refuse_types(const char* name, const char* why, const TensorOrNumber& a,
                  const TensorOrNumber& b) {
  throw DTypeError(std::string(name) + ": " + why + ": " + std::string(name_of(type_of(a))) +
                   " and " + std::string(name_of(type_of(b))));
}

}  // namespace tide
