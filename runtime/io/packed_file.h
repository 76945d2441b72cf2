// Entire files, plain or gzip-compressed.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/io/host_array.h"

namespace tide {

/// The contents of a file, decompressed if it is a gzip file: uint8 (count). Memory is allocated
/// only if the size is at most `limit`. Throws FileError, MemoryError.
HostArray read_packed_file(const std::string& path, uint64_t limit);

/// The MD5 sum of a file in hexadecimal digits, by RFC 1321. It detects incomplete downloads, not
/// forgery. Throws FileError.
std::string md5_of_file(const std::string& path);

}  // namespace tide
