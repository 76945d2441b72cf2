// Result types of ops with several operands.
#include "runtime/ops/elementwise/elementwise_types.h"

#include <limits>
#include <optional>
#include <string>

#include "runtime/ops/arguments.h"

namespace tide {

DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b) {
  const Weight weight_a = weight_of(a);
  const Weight weight_b = weight_of(b);
  if (weight_a == Weight::number && weight_b == Weight::number)
    throw DTypeError(std::string(name) + ": expected a tensor, got two numbers");
  return promote(type_of(a), weight_a, type_of(b), weight_b);
}

DType common_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b,
                  const TensorOrNumber& c) {
  // Operands of the same weight are promoted together first.
  std::optional<DType> common;
  Weight heaviest = Weight::number;
  for (Weight weight : {Weight::number, Weight::scalar, Weight::dimensioned}) {
    std::optional<DType> type;
    for (const TensorOrNumber* operand : {&a, &b, &c})
      if (weight_of(*operand) == weight)
        type = type ? promote(*type, type_of(*operand)) : type_of(*operand);
    if (!type) continue;
    common = common ? promote(*common, heaviest, *type, weight) : *type;
    heaviest = weight;
  }
  if (heaviest == Weight::number)
    throw DTypeError(std::string(name) + ": expected a tensor, got three numbers");
  return *common;
}

void check_element(const char* name, const TensorOrNumber& x, DType type) {
  if (!x.tensor.defined() && is_integer(type)) check_fits(name, x.number, type);
}

void refuse_types(const char* name, const char* why, const TensorOrNumber& a,
                  const TensorOrNumber& b) {
  throw DTypeError(std::string(name) + ": " + why + ", got " + std::string(name_of(type_of(a))) +
                   " and " + std::string(name_of(type_of(b))));
}

namespace {

/// Value bits of an integer type, without the sign bit.
int value_bits(DType type) { return 8 * static_cast<int>(size_of(type)) - (type != DType::u8); }

}  // namespace

Number lowest(DType type) {
  if (is_floating(type)) return -std::numeric_limits<double>::infinity();
  if (type == DType::boolean || type == DType::u8) return 0;
  return -1 - static_cast<int64_t>((uint64_t{1} << value_bits(type)) - 1);
}

Number highest(DType type) {
  if (is_floating(type)) return std::numeric_limits<double>::infinity();
  if (type == DType::boolean) return 1;
  return static_cast<int64_t>((uint64_t{1} << value_bits(type)) - 1);
}

}  // namespace tide
