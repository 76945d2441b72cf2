// Base64 encoding.
#pragma once

#include <string>
#include <string_view>

namespace tide::jupyter {

/// The bytes in base64, on one line.
std::string base64(std::string_view bytes);

}  // namespace tide::jupyter
