// Call sites as text; interned file names.
#include "runtime/device/call_site.h"

#include <mutex>
#include <unordered_set>

#include "runtime/profile/event.h"

namespace tide {

const char* intern_file_name(std::string_view name) {
  // Never destroyed: queue threads may still print call sites at exit.
  static auto& names = *new std::unordered_set<std::string>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  return names.emplace(name).first->c_str();
}

std::string CallSite::text() const {
  return known() ? std::string(file) + ":" + std::to_string(line) : "?";
}

void set_site(profile::Event& event, CallSite site) {
  event.file = site.file;
  event.line = site.line;
}

}  // namespace tide
