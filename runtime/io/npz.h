// NumPy's files of several named arrays: npy files in a zip archive (npz).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/io/host_array.h"

namespace tide {

/// All arrays of an npz file; names are without the ".npy" of the members.
NamedArrays read_npz(const std::string& path);

/// All arrays of an npz file, from its bytes.
NamedArrays read_npz_bytes(std::string_view bytes);

/// Replaces the file at `path`. `compress`: deflate the members, as numpy.savez_compressed does.
void write_npz(const std::string& path, std::span<const ArrayToWrite> arrays, bool compress);

}  // namespace tide
