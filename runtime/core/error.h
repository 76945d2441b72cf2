// What can go wrong, as exceptions. Messages have the form "op: what is wrong: values".
#pragma once

#include <stdexcept>
#include <string>

namespace tide {

/// Base of all errors that a caller can cause. Its text is one line without a final stop.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {
  using Error::Error;
};
struct DTypeError : Error {
  using Error::Error;
};
struct DeviceError : Error {
  using Error::Error;
};
struct MemoryError : Error {
  using Error::Error;
};
/// A file that is missing, damaged or cannot be written.
struct FileError : Error {
  using Error::Error;
};
/// The user stopped what was waited for.
struct Interrupted : Error {
  Interrupted() : Error("interrupted") {}
};
/// A failure of tide itself, never of the caller.
struct InternalError : Error {
  explicit InternalError(const std::string& what) : Error("internal error: " + what) {}
};

}  // namespace tide
