// Whole files, plain or packed by gzip.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/io/host_array.h"

namespace tide {

/// The bytes of a file, unpacked if it begins as gzip does: uint8 (count). Memory is taken once it
/// is known that there are no more than `limit`. Throws FileError, MemoryError.
HostArray read_packed_file(const std::string& path, uint64_t limit);

/// The MD5 sum of a file in hexadecimal digits, by RFC 1321. It tells whether a download is whole,
/// not whether somebody forged it. Throws FileError.
std::string md5_of_file(const std::string& path);

}  // namespace tide
