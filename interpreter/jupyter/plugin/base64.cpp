// Encodes three bytes as four characters.
#include "interpreter/jupyter/plugin/base64.h"

#include <cstdint>

namespace tide::jupyter {

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = bytes.substr(i, 3).size();
    std::uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) text += k > count ? '=' : kLetters[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

}  // namespace tide::jupyter
