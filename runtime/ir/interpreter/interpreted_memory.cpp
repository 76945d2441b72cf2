// Loads, stores, conversions and reductions on arrays of the host.
#include "runtime/ir/interpreter/interpreted_memory.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "runtime/ir/math/float8.h"
#include "runtime/ir/math/half.h"
#include "runtime/ir/math/math_basic.h"
#include "runtime/ir/math/reference_value.h"

namespace tide::interpreted {
namespace {

/// Calls `use` with a zero of the host's type for a compute type.
template <class Use>
auto with_type(DType type, const Use& use) {
  switch (type) {
    case DType::boolean:
      return use(bool{});
    case DType::u8:
      return use(uint8_t{});
    case DType::i8:
      return use(int8_t{});
    case DType::i16:
      return use(int16_t{});
    case DType::i32:
      return use(int32_t{});
    case DType::i64:
      return use(int64_t{});
    case DType::f64:
      return use(double{});
    default:
      return use(float{});
  }
}

template <class Stored, class T>
TIDE_INTERPRETED void load(const void* from, int64_t stride, void* array, int64_t count) {
  const auto* const elements = static_cast<const Stored*>(from);
  auto* const values = static_cast<T*>(array);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(elements[i * stride]);
}

template <class Stored, class T>
TIDE_INTERPRETED void load_at(const void* from, int64_t stride, const Lookup& lookup, void* array,
                              int64_t count) {
  const auto* const elements = static_cast<const Stored*>(from);
  auto* const values = static_cast<T*>(array);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = std::min(std::max<int64_t>(lookup.positions[i], 1), lookup.sizes[i]) - 1;
    values[i] =
        static_cast<T>(elements[i * stride + index * (lookup.strides ? lookup.strides[i] : 1)]);
  }
}

template <class Stored, class T>
TIDE_INTERPRETED void store(const void* array, void* to, int64_t stride, int64_t count) {
  const auto* const values = static_cast<const T*>(array);
  auto* const elements = static_cast<Stored*>(to);
  for (int64_t i = 0; i < count; ++i) elements[i * stride] = Stored(values[i]);
}

template <class From, DType to>
TIDE_INTERPRETED void convert_all(const void* const* operands, void* result, int64_t count) {
  const auto* const values = static_cast<const From*>(operands[0]);
  auto* const elements = static_cast<typename reference::Host<to>::type*>(result);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = convert<to>(reference::Value<From>(values[i])).number();
}

TIDE_INTERPRETED void round_to_odd(const void* const* operands, void* result, int64_t count) {
  const auto* const values = static_cast<const double*>(operands[0]);
  auto* const elements = static_cast<float*>(result);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = math::rounded_to_odd(reference::Value<double>(values[i])).number();
}

template <class From>
InterpretedCall conversion_from(DType to) {
  if (std::is_same_v<From, double> && is_narrow(to)) return round_to_odd;
  switch (to) {
    case DType::boolean:
      return convert_all<From, DType::boolean>;
    case DType::u8:
      return convert_all<From, DType::u8>;
    case DType::i8:
      return convert_all<From, DType::i8>;
    case DType::i16:
      return convert_all<From, DType::i16>;
    case DType::i32:
      return convert_all<From, DType::i32>;
    case DType::i64:
      return convert_all<From, DType::i64>;
    case DType::f64:
      return convert_all<From, DType::f64>;
    default:
      return convert_all<From, DType::f32>;
  }
}

template <class Narrow>
TIDE_INTERPRETED void round_all(void* array, int64_t count) {
  auto* const values = static_cast<float*>(array);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(Narrow(values[i]));
}

/// Calls `use` with a zero of a narrow type's struct.
template <class Use>
auto with_narrow(DType type, const Use& use) {
  switch (type) {
    case DType::f8e4m3:
      return use(Float8<DType::f8e4m3>());
    case DType::f8e5m2:
      return use(Float8<DType::f8e5m2>());
    case DType::f16:
      return use(Float16());
    default:
      return use(BFloat16());
  }
}

template <Reduction reduction, class T>
reference::Value<T> combine(reference::Value<T> a, reference::Value<T> b) {
  if constexpr (reduction == Reduction::sum) return a + b;
  if constexpr (reduction == Reduction::prod) return a * b;
  if constexpr (reduction == Reduction::max) return maximum(a, b);
  if constexpr (reduction == Reduction::min) return minimum(a, b);
}

template <Reduction reduction, class T>
T identity() {
  using Limits = std::numeric_limits<T>;
  constexpr bool is_floating = Limits::has_infinity;
  if (reduction == Reduction::sum) return static_cast<T>(is_floating ? -0.0 : 0.0);
  if (reduction == Reduction::prod) return T(1);
  const T highest = is_floating ? Limits::infinity() : Limits::max();
  const T lowest = is_floating ? static_cast<T>(-highest) : Limits::lowest();
  return reduction == Reduction::max ? lowest : highest;
}

template <Reduction reduction, class T>
TIDE_INTERPRETED void reduce(const void* array, int64_t count, void* result) {
  using Value = reference::Value<T>;
  const auto* const values = static_cast<const T*>(array);
  struct Lanes {
    T lane[kReductionLanes];
    Lanes() { std::fill(std::begin(lane), std::end(lane), identity<reduction, T>()); }
    static void take_in(T& a, T b) { a = combine<reduction>(Value(a), Value(b)).number(); }
    T collapsed() {
      for (int width = kReductionLanes / 2; width > 0; width /= 2)
        for (int j = 0; j < width; ++j) take_in(lane[j], lane[j + width]);
      return lane[0];
    }
  };
  const auto reduce_block = [&](int64_t begin) {
    Lanes lanes;
    const int64_t end = std::min(count, begin + kReductionBlock);
    for (int64_t i = begin; i < end; i += kReductionLanes) {
      const int64_t width = std::min<int64_t>(kReductionLanes, end - i);
      for (int64_t j = 0; j < width; ++j) Lanes::take_in(lanes.lane[j], values[i + j]);
    }
    return lanes.collapsed();
  };
  auto* const total = static_cast<T*>(result);
  *total = reduce_block(0);
  if (count <= kReductionBlock) return;
  Lanes of_blocks;
  for (int64_t block = 0; block * kReductionBlock < count; ++block)
    Lanes::take_in(of_blocks.lane[block % kReductionLanes], reduce_block(block * kReductionBlock));
  *total = of_blocks.collapsed();
}

}  // namespace

Load load_of(DType type) {
  if (is_narrow(type))
    return with_narrow(type, [](auto zero) -> Load { return load<decltype(zero), float>; });
  return with_type(type, [](auto zero) -> Load { return load<decltype(zero), decltype(zero)>; });
}

LoadAt load_at_of(DType type) {
  if (is_narrow(type))
    return with_narrow(type, [](auto zero) -> LoadAt { return load_at<decltype(zero), float>; });
  return with_type(type,
                   [](auto zero) -> LoadAt { return load_at<decltype(zero), decltype(zero)>; });
}

Store store_of(DType type) {
  if (is_narrow(type))
    return with_narrow(type, [](auto zero) -> Store { return store<decltype(zero), float>; });
  return with_type(type, [](auto zero) -> Store { return store<decltype(zero), decltype(zero)>; });
}

InterpretedCall conversion(DType from, DType to) {
  return with_type(from, [&](auto zero) { return conversion_from<decltype(zero)>(to); });
}

Rounding rounding_to(DType narrow) {
  return with_narrow(narrow, [](auto zero) -> Rounding { return round_all<decltype(zero)>; });
}

Reduce reduction(Reduction reduction, DType type) {
  return with_type(type, [&](auto zero) -> Reduce {
    using T = decltype(zero);
    switch (reduction) {
      case Reduction::sum:
        return reduce<Reduction::sum, T>;
      case Reduction::prod:
        return reduce<Reduction::prod, T>;
      case Reduction::max:
        return reduce<Reduction::max, T>;
      default:
        return reduce<Reduction::min, T>;
    }
  });
}

void spread(DType type, void* array, int64_t count) {
  with_type(type, [&](auto zero) {
    auto* const values = static_cast<decltype(zero)*>(array);
    std::fill(values, values + count, values[0]);
  });
}

}  // namespace tide::interpreted
