// Handwritten functions whose arguments are read like those of rows, according to the parameter
// types of a C++ function.
#pragma once

#include <algorithm>
#include <string_view>

#include "bindings/ops/row.h"
#include "bindings/ops/simple_argument.h"
#include "bindings/support/entry.h"
#include "bindings/support/function.h"

namespace tide::bindings {

/// A string as a template argument.
template <size_t kSize>
struct Text {
  char text[kSize];
  consteval Text(const char (&given)[kSize]) { std::copy_n(given, kSize, text); }
  constexpr std::string_view view() const { return {text, kSize - 1}; }
};

/// A function that pushes its results itself and returns their number.
template <class... P, int (*F)(lua_State*, P...)>
struct Op<F> {
  using Result = int;
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  static constexpr Signature signature(const char* names) {
    return make_signature(names, kKinds<std::remove_cvref_t<P>...>, false,
                          kClasses<std::remove_cvref_t<P>...>.data());
  }

  static int run(const Call& call) {
    const auto function = [L = call.L](auto&... arguments) { return F(L, arguments...); };
    return apply_arguments<std::remove_cvref_t<P>...>(call, function,
                                                      std::index_sequence_for<P...>());
  }

  static int apply(lua_State* L, auto&... arguments) { return F(L, arguments...); }
};

/// Pushes what run(), a call of F, returns.
template <auto F, Text kName>
int push_returned(lua_State* L, const auto& run) {
  using Result = typename Op<F>::Result;
  if constexpr (std::is_same_v<Result, int>) {
    return run();
  } else if constexpr (!std::is_void_v<Result>) {
    return push_result(L, run());
  } else {
    run();
    if (!kName.view().ends_with('_')) return 0;
    lua_settop(L, 1);
    return 1;
  }
}

/// F as a Lua function, whose parameters have these names. `kName` is for errors:
/// "cuda.utilization". If F returns void, it returns nothing or, if its name ends in `_`, its first
/// argument.
template <auto F, Text kName, Text kNames>
int typed(lua_State* L) {
  static constexpr Signature kSignature = Op<F>::signature(kNames.text);
  using Parameters = typename Op<F>::Parameters;
  if constexpr (kAreSimple<Parameters> && reads_by_position(kSignature)) {
    SimpleArguments<Parameters> arguments;
    if (arguments.read(L)) {
      const auto function = [L](auto&... values) { return Op<F>::apply(L, values...); };
      return push_returned<F, kName>(L, [&] { return arguments.apply(function); });
    }
  }
  const Call call = bound_call(L, kName.text, kSignature);
  return push_returned<F, kName>(L, [&] { return Op<F>::run(call); });
}

/// For functions that only inspect their arguments: see guard_lookup.
inline constexpr bool kLookup = true;

template <auto F, Text kName, Text kNames, bool kOnlyLooks>
constexpr lua_CFunction guarded() {
  if constexpr (kOnlyLooks)
    return guard_lookup<typed<F, kName, kNames>>;
  else
    return guard<typed<F, kName, kNames>>;
}

/// A row for F with the names of its parameters, as in an op's row: "dtype?, n". A first parameter
/// lua_State* is not the script's: such a function pushes its results and returns their number.
template <auto F, Text kName, Text kNames, bool kOnlyLooks = false>
constexpr Function typed_function(const char* doc, const char* example) {
  return {kName.text + (kName.view().rfind('.') + 1), guarded<F, kName, kNames, kOnlyLooks>(),
          kNames.text, doc, example};
}

/// Like typed_function, for a method: help omits the receiver, the first name ("x, source").
template <auto F, Text kName, Text kNames, bool kOnlyLooks = false>
constexpr Function typed_method(const char* doc, const char* example) {
  constexpr size_t kEnd = end_of_name(kNames.view(), 0);
  Function row = typed_function<F, kName, kNames, kOnlyLooks>(doc, example);
  row.arguments += std::min(kEnd + 2, kNames.view().size());
  return row;
}

/// A function of the library without help, for a table of tide.native or the methods of a class.
template <auto F, Text kName, Text kNames>
inline constexpr luaL_Reg kNative{kName.text, guard<typed<F, kName, kNames>>};

}  // namespace tide::bindings
