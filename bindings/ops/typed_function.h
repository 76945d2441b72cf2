// Handwritten functions whose arguments are read like those of rows, according to the parameter
// types of a C++ function.
#pragma once

#include <algorithm>
#include <string_view>

#include "bindings/ops/row.h"
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

/// F as a Lua function. If F returns void, it returns nothing or, if its name ends in `_`, its
/// first argument.
template <auto F, Text kName, Text kNames>
int typed(lua_State* L) {
  const OpSpan span(kName.text);
  static constexpr Signature kSignature = make_signature(kNames.text, Op<F>::kKinds);
  const Call call = bound_call(L, kName.text, kSignature);
  if constexpr (std::is_void_v<typename Op<F>::Result> && !kName.view().ends_with('_')) {
    Op<F>::run(call);
    return 0;
  } else {
    return Op<F>::invoke(call);
  }
}

/// A row for F; `kNames` are the names of its parameters, as in an op's row: "dtype?, n".
template <auto F, Text kName, Text kNames>
constexpr Function typed_function(const char* doc, const char* example) {
  return {kName.text, guard<typed<F, kName, kNames>>, kNames.text, doc, example};
}

/// Like typed_function, for a method: help omits the receiver, the first name ("x, source").
template <auto F, Text kName, Text kNames>
constexpr Function typed_method(const char* doc, const char* example) {
  constexpr size_t kEnd = end_of_name(kNames.view(), 0);
  constexpr size_t kReceiver = std::min(kEnd + 2, kNames.view().size());
  return {kName.text, guard<typed<F, kName, kNames>>, kNames.text + kReceiver, doc, example};
}

}  // namespace tide::bindings
