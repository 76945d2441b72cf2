// Exception types. Messages have the form "op: what is wrong: values".
#pragma once

#include <stdexcept>
#include <string>

namespace tide {

/// Base of all errors that a caller can cause. Its text is one line without a trailing period.
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
/// The user interrupted a wait.
struct Interrupted : Error {
  Interrupted() : Error("interrupted") {}
};
/// A bug in tide itself, never the caller's fault.
struct InternalError : Error {
  explicit InternalError(const std::string& what) : Error("internal error: " + what) {}
};

}  // namespace tide
