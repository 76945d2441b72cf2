// The message to show the caller for any exception.
#pragma once

#include <exception>
#include <string>

namespace tide {

/// The text of an Error; for standard-library exceptions, a message that does not mention C++.
std::string message_of(const std::exception& error);

/// Whether the error means that memory or another host resource ran out.
bool is_shortage(const std::exception& error);

}  // namespace tide
