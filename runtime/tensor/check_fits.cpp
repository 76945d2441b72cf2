#include "runtime/tensor/check_fits.h"

#include <cmath>
#include <cstdio>

#include "runtime/types/error.h"

namespace tide {

void check_fits(const char* op, Number number, DType type) {
  const bool whole = number.type() != DType::f64;
  if (type == DType::boolean || (whole && type == DType::i64)) return;
  const double value = number.as_double(), least = smallest_of(type), most = largest_of(type);
  if (whole) {
    if (value <= most && value >= (type == DType::u8 ? -most : least)) return;
  } else if (is_floating(type)) {
    if (!std::isfinite(value) || std::abs(value) <= most) return;
  } else if (value >= least && value <= most) {
    return;
  }
  throw DTypeError(std::string(op) + ": " + std::string(name_of(type)) + " goes from " +
                   number_text(least) + " to " + number_text(most) + ", got " + number_text(value));
}

std::string number_text(double number) {
  if (std::isnan(number)) return "nan";  // regardless of its sign
  char text[32];
  std::snprintf(text, sizeof text, "%.14g", number);
  return text;
}

}  // namespace tide
