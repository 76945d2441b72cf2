// Sizes of memory as text.
#pragma once

#include <cstddef>
#include <string>

namespace tide {

/// "64.0 MB".
std::string size_text(size_t bytes);

}  // namespace tide
