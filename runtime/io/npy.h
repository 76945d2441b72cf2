// NumPy's files: one array (npy), or several by name in a zip archive (npz).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/io/byte_file.h"
#include "runtime/io/host_array.h"

namespace tide {

/// The array in an npy file, versions 1 to 3, of any byte order, made row-major. Throws FileError;
/// types that have no counterpart are named in it.
HostArray read_npy(const std::string& path);

/// The same from a stream, which must end with the array.
HostArray read_npy(ByteSource& source);

/// Replaces the file at `path`. Throws FileError, also for bfloat16, which npy cannot hold.
void write_npy(const std::string& path, const ArrayToWrite& array);

/// The bytes before the elements in an npy file. `path` is for the error.
std::string npy_header(const std::string& path, const ArrayToWrite& array);

/// All arrays of an npz file, without the ".npy" of their members' names.
NamedArrays read_npz(const std::string& path);

/// The same from the bytes of such a file.
NamedArrays read_npz_bytes(std::string_view bytes);

/// Replaces the file at `path`. `compress`: deflate the members, as numpy.savez_compressed does.
void write_npz(const std::string& path, std::span<const ArrayToWrite> arrays, bool compress);

}  // namespace tide
