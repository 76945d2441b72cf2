// NumPy's files of a single array (npy).
#pragma once

#include <optional>
#include <string>

#include "runtime/io/host_array.h"

namespace tide {

class ByteSource;

/// The array in an npy file, versions 1 to 3, of any byte order, converted to row-major order.
/// Throws FileError, which names unsupported types.
HostArray read_npy(const std::string& path);

/// Reads from a stream, which must end with the array. With `unknown`, an array of an unsupported
/// type is not an error: its type is stored there, and nothing is returned.
std::optional<HostArray> read_npy(ByteSource& source, std::string* unknown = nullptr);

/// Replaces the file at `path`. Throws FileError, also for bfloat16, which npy does not support.
void write_npy(const std::string& path, const ArrayToWrite& array);

/// The header of an npy file. `path` is for the error.
std::string npy_header(const std::string& path, const ArrayToWrite& array);

}  // namespace tide
