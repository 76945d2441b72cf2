// Evaluates single PTX instructions on raw bits.
#include "tests/cuda/fake/ptx/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "tests/cuda/fake/ptx/raw_values.h"

namespace fake {
namespace {

/// Which bits of a product are returned.
enum class Part { low, high, wide };

template <Part kPart, class T>
uint64_t product(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  const Wide whole = static_cast<Wide>(a) * static_cast<Wide>(b);
  if constexpr (kPart == Part::wide)
    return sizeof(T) == 8 ? static_cast<uint64_t>(whole)
                          : static_cast<uint64_t>(whole) & (~uint64_t{0} >> (64 - 16 * sizeof(T)));
  else
    return to_raw(static_cast<T>(kPart == Part::high ? whole >> (8 * sizeof(T)) : whole));
}

template <class T, Part kPart>
Compute product_of(const Instruction& at) {
  constexpr size_t kBits = 8 * sizeof(T) * (kPart == Part::wide && sizeof(T) < 8 ? 2 : 1);
  using Result =
      std::conditional_t<kBits == 8, uint8_t,
                         std::conditional_t<kBits == 16, uint16_t,
                                            std::conditional_t<kBits == 32, uint32_t, uint64_t>>>;
  if (at.op == Op::mul)
    return made<T>(at, [](T a, T b) { return static_cast<Result>(product<kPart>(a, b)); });
  return [](uint64_t a, uint64_t b, uint64_t c, uint64_t) -> uint64_t {
    return static_cast<Result>(product<kPart>(from_raw<T>(a), from_raw<T>(b)) + c);
  };
}

/// Divisions by zero and -1 do not trap.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
T shifted_left(T x, uint32_t count) {
  return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<uint64_t>(x) << count);
}
template <class T>
T shifted_right(T x, uint32_t count) {
  if (count >= 8 * sizeof(T)) return std::is_signed_v<T> && x < 0 ? static_cast<T>(-1) : T(0);
  return static_cast<T>(x >> count);
}

/// Extracts `length` bits of a from `start` on; signed fields are extended by their last bit.
template <class T>
uint64_t extracted(uint64_t raw, unsigned start, unsigned length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  constexpr uint64_t kAll = ~uint64_t{0} >> (64 - kBits);
  const uint64_t a = raw & kAll;
  if (length == 0) return 0;
  const unsigned top = std::min(start + length - 1, kBits - 1);
  const bool sign = std::is_signed_v<T> && (a >> top & 1);
  uint64_t field = start >= kBits ? 0 : a >> start;
  if (length < 64) field &= (uint64_t{1} << length) - 1;
  const unsigned width = start >= kBits ? 0 : std::min(length, kBits - start);
  if (sign && width < 64) field |= ~uint64_t{0} << width;
  return field & kAll;
}

/// Inserts the lowest `length` bits of a into b at `start`.
template <class T>
uint64_t inserted(uint64_t a, uint64_t b, unsigned start, unsigned length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  constexpr uint64_t kAll = ~uint64_t{0} >> (64 - kBits);
  if (start >= kBits) return b & kAll;
  const uint64_t ones = length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1;
  const uint64_t mask = ones << start & kAll;
  return (b & ~mask & kAll) | (a << start & mask);
}

template <class T>
T reversed(T x) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i) result = static_cast<T>(result << 1 | (x >> i & 1));
  return result;
}

/// `table` has a bit for each choice of a bit of a, of b and of c.
uint64_t by_table(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
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

/// 32 bits out of the 64 of b and a.
template <bool kLeft, bool kClamp>
uint64_t funnel(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  const auto count = kClamp ? static_cast<unsigned>(std::min<uint64_t>(c & 0xffffffff, 32))
                            : static_cast<unsigned>(c & 31);
  return (count == 0 ? both >> (kLeft ? 32 : 0) : both >> (kLeft ? 32 - count : count)) &
         0xffffffff;
}

template <bool kLeft, bool kClamp>
Compute funnel_of() {
  return
      [](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return funnel<kLeft, kClamp>(a, b, c); };
}

// --- comparisons --------------------------------------------------------------------------------

template <class T>
T minmax(T a, T b, bool most, bool keeps_nan) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      if (keeps_nan) return std::numeric_limits<T>::quiet_NaN();
      return std::isnan(a) ? b : a;
    }
    if (a == b) return std::signbit(a) == most ? b : a;
  }
  return most == (a > b) ? a : b;
}

template <class T>
Compute minmax_of(const Instruction& at) {
  if (at.op == Op::max)
    return at.has("NaN") ? made<T>(at, [](T a, T b) { return minmax(a, b, true, true); })
                         : made<T>(at, [](T a, T b) { return minmax(a, b, true, false); });
  return at.has("NaN") ? made<T>(at, [](T a, T b) { return minmax(a, b, false, true); })
                       : made<T>(at, [](T a, T b) { return minmax(a, b, false, false); });
}

template <class T>
bool is_unordered(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(a) || std::isnan(b);
  return false;
}

/// `holds` for ordered values; others compare as `unordered`.
template <class T, bool unordered, class Holds>
Compute comparison(Holds) {
  return [](uint64_t a, uint64_t b, uint64_t, uint64_t) -> uint64_t {
    const T x = from_raw<T>(a), y = from_raw<T>(b);
    return is_unordered(x, y) ? unordered : Holds{}(x, y);
  };
}

template <class T, bool unordered>
Compute comparison_of(const Instruction& at, std::string_view order) {
  if (order == "eq") return comparison<T, unordered>([](T a, T b) { return a == b; });
  if (order == "ne") return comparison<T, unordered>([](T a, T b) { return a != b; });
  if (order == "lt") return comparison<T, unordered>([](T a, T b) { return a < b; });
  if (order == "le") return comparison<T, unordered>([](T a, T b) { return a <= b; });
  if (order == "gt") return comparison<T, unordered>([](T a, T b) { return a > b; });
  if (order == "ge") return comparison<T, unordered>([](T a, T b) { return a >= b; });
  unknown_form(at);
}

template <class T>
Compute comparison_of(const Instruction& at) {
  const std::string_view order = std::string_view(at.mode).substr(0, at.mode.find('.'));
  if (order == "num") return comparison<T, false>([](T, T) { return true; });
  if (order == "nan") return comparison<T, true>([](T, T) { return false; });
  if (order == "lo" || order == "ls" || order == "hi" || order == "hs")
    return comparison_of<T, false>(at, order == "lo"   ? "lt"
                                       : order == "ls" ? "le"
                                       : order == "hi" ? "gt"
                                                       : "ge");
  // equ, neu, ltu, leu, gtu, geu
  if (order.size() == 3 && order[2] == 'u') return comparison_of<T, true>(at, order.substr(0, 2));
  return comparison_of<T, false>(at, order);
}

// --- conversions --------------------------------------------------------------------------------

/// A function of one floating-point value. Approximate functions are computed exactly, then
/// rounded.
template <class F>
Compute function_of(const Instruction& at, F) {
  if (at.type == Type::f64) return made<double>(at, [](double x) { return F{}(x); });
  return made<float>(at, [](float x) { return static_cast<float>(F{}(x)); });
}

template <class T>
Compute half_arithmetic_of(const Instruction& at) {
  if (at.op == Op::add) return made<T>(at, [](float a, float b) { return a + b; });
  if (at.op == Op::sub) return made<T>(at, [](float a, float b) { return a - b; });
  if (at.op == Op::mul) return made<T>(at, [](float a, float b) { return a * b; });
  unknown_form(at);
}

template <class T>
Compute floating_arithmetic_of(const Instruction& at) {
  switch (at.op) {
    case Op::add:
      return made<T>(at, [](T a, T b) { return a + b; });
    case Op::sub:
      return made<T>(at, [](T a, T b) { return a - b; });
    case Op::mul:
      return made<T>(at, [](T a, T b) { return a * b; });
    case Op::mad:
    case Op::fma:
      return made<T>(at, [](T a, T b, T c) { return std::fma(a, b, c); });
    case Op::div:
      return made<T>(at, [](T a, T b) { return a / b; });
    case Op::abs:
      return made<T>(at, [](T a) { return std::fabs(a); });
    case Op::neg:
      return made<T>(at, [](T a) { return -a; });
    default:
      unknown_form(at);
  }
}

template <class T>
Compute integer_arithmetic_of(const Instruction& at) {
  switch (at.op) {
    case Op::add:
      return made<T>(at, [](T a, T b) {
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      });
    case Op::sub:
      return made<T>(at, [](T a, T b) {
        return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
      });
    case Op::mul:
    case Op::mad:
      if (at.has("wide")) return product_of<T, Part::wide>(at);
      if (at.has("hi")) return product_of<T, Part::high>(at);
      return product_of<T, Part::low>(at);
    case Op::div:
      return made<T>(at, [](T a, T b) { return quotient(a, b); });
    case Op::rem:
      return made<T>(at, [](T a, T b) { return remainder_of(a, b); });
    case Op::abs:
      return made<T>(at,
                     [](T a) { return a < T(0) ? static_cast<T>(-static_cast<uint64_t>(a)) : a; });
    case Op::neg:
      return made<T>(at, [](T a) { return static_cast<T>(-static_cast<uint64_t>(a)); });
    case Op::and_:
      return made<T>(at, [](T a, T b) { return static_cast<T>(a & b); });
    case Op::or_:
      return made<T>(at, [](T a, T b) { return static_cast<T>(a | b); });
    case Op::xor_:
      return made<T>(at, [](T a, T b) { return static_cast<T>(a ^ b); });
    case Op::not_:
      return made<T>(at, [](T a) { return static_cast<T>(~a); });
    default:
      unknown_form(at);
  }
}

/// Bitwise operations.
template <class T>
Compute bits_of(const Instruction& at) {
  static_assert(std::is_unsigned_v<T>);
  switch (at.op) {
    case Op::selp:
      return [](uint64_t a, uint64_t b, uint64_t c, uint64_t) -> uint64_t {
        return static_cast<T>(c ? a : b);
      };
    case Op::copysign: {
      constexpr T kSign = static_cast<T>(T(1) << (8 * sizeof(T) - 1));
      return made<T>(at, [](T a, T b) { return static_cast<T>((a & kSign) | (b & ~kSign)); });
    }
    case Op::clz:
      return made<T>(at, [](T a) { return static_cast<uint32_t>(std::countl_zero(a)); });
    case Op::popc:
      return made<T>(at, [](T a) { return static_cast<uint32_t>(std::popcount(a)); });
    case Op::brev:
      return made<T>(at, [](T a) { return reversed(a); });
    case Op::lop3:
      return [](uint64_t a, uint64_t b, uint64_t c, uint64_t d) -> uint64_t {
        return static_cast<T>(by_table(a, b, c, d));
      };
    default:
      unknown_form(at);
  }
}

Compute bits_of(const Instruction& at) {
  switch (size_of(at.type)) {
    case 1:
      return bits_of<uint8_t>(at);
    case 2:
      return bits_of<uint16_t>(at);
    case 4:
      return bits_of<uint32_t>(at);
    default:
      return bits_of<uint64_t>(at);
  }
}

/// Shifts, with counts of 32 bits, and bit fields.
template <class T>
Compute field_of(const Instruction& at) {
  switch (at.op) {
    case Op::shl:
      return [](uint64_t a, uint64_t b, uint64_t, uint64_t) {
        return to_raw(shifted_left(from_raw<T>(a), static_cast<uint32_t>(b)));
      };
    case Op::shr:
      return [](uint64_t a, uint64_t b, uint64_t, uint64_t) {
        return to_raw(shifted_right(from_raw<T>(a), static_cast<uint32_t>(b)));
      };
    case Op::bfe:
      return [](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
        return extracted<T>(a, b & 255, c & 255);
      };
    default:
      return [](uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
        return inserted<T>(a, b, c & 255, d & 255);
      };
  }
}

Compute arithmetic_of(const Instruction& at) {
  if (at.type == Type::f16) return half_arithmetic_of<Half>(at);
  if (at.type == Type::bf16) return half_arithmetic_of<Brain>(at);
  return visit(at.type, at, [&](auto type) -> Compute {
    using T = decltype(type);
    if (at.op == Op::min || at.op == Op::max) return minmax_of<T>(at);
    if constexpr (std::is_floating_point_v<T>)
      return floating_arithmetic_of<T>(at);
    else
      return integer_arithmetic_of<T>(at);
  });
}

}  // namespace

Compute compute_of(const Instruction& at) {
  switch (at.op) {
    case Op::mov:
      return [](uint64_t a, uint64_t, uint64_t, uint64_t) { return a; };
    case Op::cvt:
      return conversion_of(at);
    case Op::setp:
      return visit(at.source, at, [&](auto type) { return comparison_of<decltype(type)>(at); });
    case Op::not_:
      if (at.type == Type::pred)
        return [](uint64_t a, uint64_t, uint64_t, uint64_t) { return a ^ 1; };
      return arithmetic_of(at);
    case Op::shl:
    case Op::shr:
    case Op::bfe:
    case Op::bfi:
      return visit_integer(at.type, at, [&](auto type) { return field_of<decltype(type)>(at); });
    case Op::selp:
    case Op::copysign:
    case Op::clz:
    case Op::popc:
    case Op::brev:
    case Op::lop3:
      return bits_of(at);
    case Op::prmt:
      return [](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return permuted(a, b, c); };
    case Op::shf:
      if (at.has("l")) return at.has("clamp") ? funnel_of<true, true>() : funnel_of<true, false>();
      return at.has("clamp") ? funnel_of<false, true>() : funnel_of<false, false>();
    case Op::sqrt:
      return function_of(at, [](double x) { return std::sqrt(x); });
    case Op::rcp:
      return function_of(at, [](double x) { return 1 / x; });
    case Op::rsqrt:
      return function_of(at, [](double x) { return 1 / std::sqrt(x); });
    case Op::ex2:
      return function_of(at, [](double x) { return std::exp2(x); });
    case Op::lg2:
      return function_of(at, [](double x) { return std::log2(x); });
    default:
      return arithmetic_of(at);
  }
}

Compute atomic_of(const Instruction& at) {
  if (at.has("exch")) return [](uint64_t, uint64_t b, uint64_t, uint64_t) { return b; };
  if (at.has("cas"))
    return [](uint64_t old, uint64_t b, uint64_t c, uint64_t) { return old == b ? c : old; };
  Instruction plain = at;
  plain.mode.clear();
  constexpr std::pair<const char*, Op> kOperations[] = {{"add", Op::add}, {"min", Op::min},
                                                        {"max", Op::max}, {"and", Op::and_},
                                                        {"or", Op::or_},  {"xor", Op::xor_}};
  for (const auto& [name, op] : kOperations)
    if (at.has(name)) {
      plain.op = op;
      return arithmetic_of(plain);
    }
  unknown_form(at);
}

}  // namespace fake
