// Formats sizes of memory for errors and tables.
#include "runtime/types/size_text.h"

#include <cstdio>

namespace tide {

std::string size_text(size_t bytes) {
  constexpr const char* units[] = {"bytes", "KB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  for (; size >= 1024 && unit < 4; ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
  return text;
}

}  // namespace tide
