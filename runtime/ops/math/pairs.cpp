// Functions of pairs of numbers, computed by loops.
#include "runtime/ops/math/pairs.h"

#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/record_pair.h"

namespace tide {
namespace {

Tensor integer_pair(PairFunction function, const char* name, const Tensor& a, const Tensor& b) {
  const DType type = common_type(name, a, b);
  if (!is_integer(type)) refuse_types(name, "expected integers", a, b);
  return record_pair(function, name, type, a, b);
}

}  // namespace

Tensor gcd(const Tensor& a, const Tensor& b) {
  return integer_pair(PairFunction::gcd, "gcd", a, b);
}

Tensor lcm(const Tensor& a, const Tensor& b) {
  return integer_pair(PairFunction::lcm, "lcm", a, b);
}

Tensor nextafter(const Tensor& a, const Tensor& b) {
  const DType type = common_type("nextafter", a, b);
  if (!is_floating(type)) refuse_types("nextafter", "expected floating types", a, b);
  return record_pair(PairFunction::nextafter, "nextafter", type, a, b);
}

}  // namespace tide
