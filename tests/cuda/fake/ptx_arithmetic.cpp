// What single PTX instructions compute, on raw bits.
#include "tests/cuda/fake/ptx_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace fake {
namespace {

[[noreturn]] void unknown(const Instruction& at) {
  throw PtxError("line " + std::to_string(at.line) +
                 ": a form that the interpreter does not know: ." + at.mode);
}

bool has(const Instruction& at, std::string_view part) {
  for (size_t start = 0; start <= at.mode.size();) {
    const size_t end = std::min(at.mode.find('.', start), at.mode.size());
    if (std::string_view(at.mode).substr(start, end - start) == part) return true;
    start = end + 1;
  }
  return false;
}

template <class T>
T from_raw(uint64_t raw) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(raw));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(raw);
  else
    return static_cast<T>(raw);
}

template <class T>
uint64_t to_raw(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

/// Calls visitor(T()) with the C++ type that calculates in `type`; plain bits are unsigned.
template <class Visitor>
uint64_t visit(Type type, const Instruction& at, const Visitor& visitor) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::pred:
      return visitor(uint8_t());
    case Type::b16:
    case Type::u16:
      return visitor(uint16_t());
    case Type::b32:
    case Type::u32:
      return visitor(uint32_t());
    case Type::b64:
    case Type::u64:
      return visitor(uint64_t());
    case Type::s8:
      return visitor(int8_t());
    case Type::s16:
      return visitor(int16_t());
    case Type::s32:
      return visitor(int32_t());
    case Type::s64:
      return visitor(int64_t());
    case Type::f32:
      return visitor(float());
    case Type::f64:
      return visitor(double());
    default:
      unknown(at);
  }
}

template <class T>
T wrapped_product(T a, T b) {
  using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

template <class T>
uint64_t wide_product(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<uint64_t>(static_cast<int64_t>(a) * static_cast<int64_t>(b));
  else
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
}

template <class T>
T high_product(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
}

template <class T>
uint64_t product(const Instruction& at, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return to_raw<T>(a * b);
  } else {
    if (has(at, "wide")) {
      const uint64_t wide = wide_product(a, b);
      return sizeof(T) == 2 ? static_cast<uint32_t>(wide) : wide;
    }
    return to_raw<T>(has(at, "hi") ? high_product(a, b) : wrapped_product(a, b));
  }
}

template <class T>
T quotient(const Instruction& at, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return static_cast<T>(at.op == Op::rem ? a : static_cast<T>(-1));
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return at.op == Op::rem ? T(0) : static_cast<T>(wrapped_product<T>(a, T(-1)));
    return static_cast<T>(at.op == Op::rem ? a % b : a / b);
  }
}

template <class T>
T minmax(const Instruction& at, T a, T b, bool most) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      if (has(at, "NaN")) return std::numeric_limits<T>::quiet_NaN();
      return std::isnan(a) ? b : a;
    }
    if (a == b) return std::signbit(a) == most ? b : a;
  }
  return most == (a > b) ? a : b;
}

template <class T>
bool compared(const std::string& mode, T a, T b) {
  const std::string order = mode.substr(0, mode.find('.'));
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) unordered = std::isnan(a) || std::isnan(b);
  if (order == "num") return !unordered;
  if (order == "nan") return unordered;
  if (unordered) return order.size() == 3;  // equ, neu, ltu, leu, gtu, geu
  if (order.starts_with("eq")) return a == b;
  if (order.starts_with("ne")) return a != b;
  if (order.starts_with("lt") || order == "lo") return a < b;
  if (order.starts_with("le") || order == "ls") return a <= b;
  if (order.starts_with("gt") || order == "hi") return a > b;
  return a >= b;
}

float half_to_float(uint16_t raw) { return static_cast<float>(std::bit_cast<_Float16>(raw)); }
uint16_t float_to_half(float value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}
float brain_to_float(uint16_t raw) { return std::bit_cast<float>(uint32_t{raw} << 16); }
uint16_t float_to_brain(float value) {
  const auto raw = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<uint16_t>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}

template <class T>
T rounded(const Instruction& at, T x) {
  if (has(at, "rzi")) return std::trunc(x);
  if (has(at, "rmi")) return std::floor(x);
  if (has(at, "rpi")) return std::ceil(x);
  return has(at, "rni") ? std::nearbyint(x) : x;
}

/// Sums, differences and products of half types, which float holds well enough to round them once
/// more (see runtime/codegen/llvm/packed.cpp).
uint64_t half_arithmetic(const Instruction& at, uint64_t a, uint64_t b) {
  const bool brain = at.type == Type::bf16;
  const auto wide = [&](uint64_t raw) {
    const auto half = static_cast<uint16_t>(raw);
    return brain ? brain_to_float(half) : half_to_float(half);
  };
  const float x = wide(a), y = wide(b);
  if (at.op != Op::add && at.op != Op::sub && at.op != Op::mul) unknown(at);
  const float result = at.op == Op::add ? x + y : at.op == Op::sub ? x - y : x * y;
  return brain ? float_to_brain(result) : float_to_half(result);
}

/// Saturates. What a nan becomes depends on the types.
uint64_t float_to_integer(const Instruction& at, double x, bool from_double) {
  const bool wide = size_of(at.type) == 8;
  if (std::isnan(x)) {
    if (!from_double && !wide) return 0;
    return uint64_t{1} << (8 * size_of(at.type) - 1);
  }
  x = rounded(at, x);
  return visit(at.type, at, [&](auto type) -> uint64_t {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
      const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (x <= low) return to_raw<T>(std::numeric_limits<T>::min());
      if (x >= high) return to_raw<T>(std::numeric_limits<T>::max());
      return to_raw<T>(static_cast<T>(x));
    } else {
      unknown(at);
    }
  });
}

uint64_t converted_float(const Instruction& at, double x, bool from_double) {
  if (has(at, "sat")) x = std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
  switch (at.type) {
    case Type::f64:
      return to_raw(rounded(at, x));
    case Type::f32:
      return to_raw(rounded(at, static_cast<float>(x)));
    case Type::f16:
      return from_double ? std::bit_cast<uint16_t>(static_cast<_Float16>(x))
                         : float_to_half(static_cast<float>(x));
    case Type::bf16:
      return float_to_brain(static_cast<float>(x));
    default:
      return float_to_integer(at, x, from_double);
  }
}

uint64_t converted_integer(const Instruction& at, uint64_t a) {
  return visit(at.source, at, [&](auto from) -> uint64_t {
    using From = decltype(from);
    if constexpr (std::is_floating_point_v<From>) {
      unknown(at);
    } else {
      const From x = from_raw<From>(a);
      if (at.type == Type::f16) return float_to_half(static_cast<float>(x));
      return visit(at.type, at, [&](auto to) -> uint64_t {
        using To = decltype(to);
        if constexpr (std::is_integral_v<To>)
          if (has(at, "sat")) {
            if (std::cmp_less(x, std::numeric_limits<To>::min()))
              return to_raw(std::numeric_limits<To>::min());
            if (std::cmp_greater(x, std::numeric_limits<To>::max()))
              return to_raw(std::numeric_limits<To>::max());
          }
        return to_raw<To>(static_cast<To>(x));
      });
    }
  });
}

uint64_t converted(const Instruction& at, uint64_t a) {
  switch (at.source) {
    case Type::f16:
      return converted_float(at, half_to_float(static_cast<uint16_t>(a)), false);
    case Type::bf16:
      return converted_float(at, brain_to_float(static_cast<uint16_t>(a)), false);
    case Type::f32:
      return converted_float(at, from_raw<float>(a), false);
    case Type::f64:
      return converted_float(at, from_raw<double>(a), true);
    default:
      return converted_integer(at, a);
  }
}

/// A register that is wider than a signed result takes its sign along.
uint64_t extended(uint64_t raw, Type type) {
  if (type == Type::s8)
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(raw)));
  if (type == Type::s16)
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(raw)));
  return raw;
}

/// Functions of one floating number. The approximate ones are computed exactly, then rounded.
double function(const Instruction& at, double x) {
  switch (at.op) {
    case Op::sqrt:
      return std::sqrt(x);
    case Op::rcp:
      return 1 / x;
    case Op::rsqrt:
      return 1 / std::sqrt(x);
    case Op::ex2:
      return std::exp2(x);
    default:
      return std::log2(x);
  }
}

uint64_t shifted(const Instruction& at, uint64_t a, uint64_t b) {
  const auto bits = static_cast<unsigned>(8 * size_of(at.type));
  const auto count = static_cast<uint32_t>(b);
  return visit(at.type, at, [&](auto type) -> uint64_t {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<T>) {
      unknown(at);
    } else {
      const T x = from_raw<T>(a);
      if (at.op == Op::shl)
        return count >= bits ? 0 : to_raw(static_cast<T>(static_cast<uint64_t>(x) << count));
      if (count >= bits) return std::is_signed_v<T> && x < 0 ? to_raw(static_cast<T>(-1)) : 0;
      return to_raw(static_cast<T>(x >> count));
    }
  });
}

uint64_t bit_field(const Instruction& at, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const auto bits = static_cast<unsigned>(8 * size_of(at.type));
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (at.op == Op::bfi) {
    const unsigned start = c & 255, length = d & 255;
    const uint64_t mask =
        start >= bits ? 0
                      : (length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1) << start & all;
    return (b & ~mask & all) | ((start >= 64 ? 0 : a << start) & mask);
  }
  const unsigned start = b & 255, length = c & 255;
  const bool is_signed = at.type == Type::s32 || at.type == Type::s64;
  if (length == 0) return 0;
  const unsigned top = std::min(start + length - 1, bits - 1);
  const bool sign = is_signed && ((a & all) >> top & 1);
  uint64_t field = start >= bits ? 0 : (a & all) >> start;
  if (length < 64) field &= (uint64_t{1} << length) - 1;
  const unsigned width = start >= bits ? 0 : std::min(length, bits - start);
  if (sign && width < 64) field |= ~uint64_t{0} << width;
  return field & all;
}

uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t bytes = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i) & 15;
    uint64_t byte = bytes >> (8 * (choice & 7)) & 255;
    if (choice & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint64_t funnel(const Instruction& at, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  const unsigned count =
      has(at, "clamp") ? static_cast<unsigned>(std::min<uint64_t>(c & 0xffffffff, 32)) : c & 31;
  if (has(at, "l")) return count == 0 ? b & 0xffffffff : (both >> (32 - count)) & 0xffffffff;
  return (both >> count) & 0xffffffff;
}

template <class T>
uint64_t arithmetic(const Instruction& at, uint64_t a_raw, uint64_t b_raw, uint64_t c_raw) {
  const T a = from_raw<T>(a_raw), b = from_raw<T>(b_raw);
  constexpr bool floating = std::is_floating_point_v<T>;
  const auto sum = [](T x, T y) -> T {
    if constexpr (floating)
      return x + y;
    else
      return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  };
  const auto minus = [](T x) -> T {
    if constexpr (floating)
      return -x;
    else
      return static_cast<T>(-static_cast<uint64_t>(x));
  };
  switch (at.op) {
    case Op::add:
      return to_raw(sum(a, b));
    case Op::sub:
      if constexpr (floating)
        return to_raw(static_cast<T>(a - b));
      else
        return to_raw(sum(a, minus(b)));
    case Op::mul:
      return product<T>(at, a, b);
    case Op::mad:
    case Op::fma:
      if constexpr (floating) {
        return to_raw<T>(std::fma(a, b, from_raw<T>(c_raw)));
      } else {
        const uint64_t whole = product<T>(at, a, b) + c_raw;
        const size_t bytes = has(at, "wide") ? 2 * sizeof(T) : sizeof(T);
        return bytes == 8 ? whole : whole & ((uint64_t{1} << (8 * bytes)) - 1);
      }
    case Op::div:
    case Op::rem:
      return to_raw<T>(quotient<T>(at, a, b));
    case Op::abs:
      if constexpr (floating)
        return to_raw<T>(std::fabs(a));
      else
        return to_raw<T>(a < T(0) ? minus(a) : a);
    case Op::neg:
      return to_raw(minus(a));
    case Op::min:
    case Op::max:
      return to_raw<T>(minmax<T>(at, a, b, at.op == Op::max));
    case Op::setp:
      return compared<T>(at.mode, a, b);
    default:
      unknown(at);
  }
}

}  // namespace

uint64_t compute(const Instruction& at, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  if (at.packed) {
    Instruction half = at;
    half.packed = false;
    const uint64_t low = compute(half, a & 0xffff, b & 0xffff, c & 0xffff, d);
    const uint64_t high = compute(half, a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff, d);
    return (low & 0xffff) | (high & 0xffff) << 16;
  }
  const int bits = 8 * size_of(at.type);
  const uint64_t all = at.type == Type::pred ? 1
                       : bits == 64          ? ~uint64_t{0}
                                             : (uint64_t{1} << bits) - 1;
  switch (at.op) {
    case Op::and_:
      return a & b & all;
    case Op::or_:
      return (a | b) & all;
    case Op::xor_:
      return (a ^ b) & all;
    case Op::not_:
      return ~a & all;
    case Op::selp:
      return c ? a & all : b & all;
    case Op::cvt:
      return extended(converted(at, a), at.type);
    case Op::shl:
    case Op::shr:
      return shifted(at, a, b);
    case Op::bfe:
    case Op::bfi:
      return bit_field(at, a, b, c, d);
    case Op::brev: {
      uint64_t result = 0;
      for (int i = 0; i < bits; ++i) result |= (a >> i & 1) << (bits - 1 - i);
      return result;
    }
    case Op::clz:
      return static_cast<uint64_t>(std::countl_zero(a & all) - (64 - bits));
    case Op::popc:
      return static_cast<uint64_t>(std::popcount(a & all));
    case Op::prmt:
      return permuted(a, b, c);
    case Op::shf:
      return funnel(at, a, b, c);
    case Op::lop3: {
      uint64_t result = 0;
      for (int i = 0; i < bits; ++i) {
        const unsigned row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        result |= (d >> row & 1) << i;
      }
      return result;
    }
    case Op::copysign:
      return (b & (all >> 1)) | (a & ~(all >> 1) & all);
    case Op::sqrt:
    case Op::rcp:
    case Op::rsqrt:
    case Op::ex2:
    case Op::lg2:
      if (at.type == Type::f64) return to_raw(function(at, from_raw<double>(a)));
      return to_raw(static_cast<float>(function(at, from_raw<float>(a))));
    default:
      if (at.type == Type::f16 || at.type == Type::bf16) return half_arithmetic(at, a, b);
      return visit(at.op == Op::setp ? at.source : at.type, at,
                   [&](auto type) { return arithmetic<decltype(type)>(at, a, b, c); });
  }
}

uint64_t atomic_result(const Instruction& at, uint64_t old, uint64_t b, uint64_t c) {
  if (has(at, "exch")) return b;
  if (has(at, "cas")) return old == b ? c : old;
  Instruction plain = at;
  plain.mode.clear();
  const std::pair<const char*, Op> operations[] = {{"add", Op::add}, {"min", Op::min},
                                                   {"max", Op::max}, {"and", Op::and_},
                                                   {"or", Op::or_},  {"xor", Op::xor_}};
  for (const auto& [name, op] : operations)
    if (has(at, name)) {
      plain.op = op;
      return compute(plain, old, b, 0, 0);
    }
  unknown(at);
}

}  // namespace fake
