// What to tell the caller about any exception.
#pragma once

#include <exception>
#include <string>

namespace tide {

/// The text of an Error; for what the standard library throws, words that do not speak of C++.
std::string message_of(const std::exception& error);

/// Whether it says that there is no memory.
bool is_shortage(const std::exception& error);

}  // namespace tide
