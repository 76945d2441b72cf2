// Catch2, version 2 or 3 (Debian 12 has the one, Debian 13 the other), by the names of version 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;
#else
#include <catch2/catch.hpp>

namespace Catch {

#ifdef CATCH_CONFIG_EXTERNAL_INTERFACES
using EventListenerBase = TestEventListenerBase;
#endif

namespace Matchers {

inline StdString::ContainsMatcher ContainsSubstring(const std::string& text) {
  return Contains(text);
}

}  // namespace Matchers
}  // namespace Catch
#endif
