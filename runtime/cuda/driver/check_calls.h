// Compares tide's declarations with those of a library's header at compile time.
#pragma once

#include <type_traits>

namespace tide::cuda {

/// A parameter as the ABI passes it: all pointers are equal, enumerations are ints.
template <class T>
using Plain =
    std::conditional_t<std::is_pointer_v<T>, void*, std::conditional_t<std::is_enum_v<T>, int, T>>;
template <class A, class B>
constexpr bool same_parameter = std::is_same_v<Plain<A>, Plain<B>> ||
                                (std::is_integral_v<Plain<A>> && std::is_integral_v<Plain<B>> &&
                                 sizeof(Plain<A>) == sizeof(Plain<B>) &&
                                 std::is_signed_v<Plain<A>> == std::is_signed_v<Plain<B>>);
template <class R, class... A, class S, class... B>
constexpr bool same_call(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return (same_parameter<A, B> && ...);
}

}  // namespace tide::cuda
