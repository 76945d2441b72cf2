// Rows of elementwise ops, and of ops composed of them.
#include "bindings/ops/rows.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/polygamma.h"
#include "runtime/ops/math/airy.h"
#include "runtime/ops/math/angles.h"
#include "runtime/ops/math/arithmetic.h"
#include "runtime/ops/math/gamma.h"
#include "runtime/ops/math/logarithms.h"
#include "runtime/ops/math/normal_distribution.h"
#include "runtime/ops/math/pairs.h"
#include "runtime/ops/math/polynomials.h"
#include "runtime/ops/math/properties.h"

namespace tide::bindings {

std::span<const OpRow> elementwise_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/elementwise.def"
  };
  return rows;
}

std::span<const OpRow> special_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/special.def"
  };
  return rows;
}

}  // namespace tide::bindings
