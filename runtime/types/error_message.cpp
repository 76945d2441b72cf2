// Translates exceptions of the standard library for the caller.
#include "runtime/types/error_message.h"

#include <new>
#include <system_error>

#include "runtime/types/error.h"

namespace tide {
namespace {

/// Whether std::thread threw because the system cannot create another thread.
bool lacks_thread(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system && system->code() == std::errc::resource_unavailable_try_again;
}

}  // namespace

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error)) return error.what();
  // A container that exceeds its maximum size is out of memory too.
  if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error))
    return "out of memory on the host";
  if (lacks_thread(error)) return "out of memory: no room for another thread on the host";
  return InternalError(error.what()).what();
}

bool is_shortage(const std::exception& error) {
  return dynamic_cast<const MemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error) ||
         lacks_thread(error);
}

}  // namespace tide
