// The loops of a scatter that adds.
#include <type_traits>

#include "runtime/cpu/ops/scatter_loops.h"

namespace tide {
namespace {

/// Sums of integers wrap around, so signed types have the same bits as unsigned ones.
template <class T>
struct Addend {
  using Type = T;
};
template <class T>
requires(std::is_integral_v<T>&& std::is_signed_v<T>) struct Addend<T> {
  using Type = std::make_unsigned_t<T>;
};

template <class T>
constexpr ScatterLoops kLoops = TypedScatter<T, Wide<T>, Put::add>::loops();

}  // namespace

const ScatterLoops& scatter_add_loops(DType type) {
  const ScatterLoops* loops = nullptr;
  visit_type(type, [&](auto tag) {
    loops = &kLoops<typename Addend<typename decltype(tag)::Type>::Type>;
  });
  return *loops;
}

}  // namespace tide
