// Safetensors files: a JSON header, then the elements of all tensors.
#pragma once

#include <map>
#include <span>
#include <string>

#include "runtime/io/host_array.h"

namespace tide {

/// What a file says about itself, besides its tensors.
using FileMetadata = std::map<std::string, std::string>;

/// All tensors, in the order in which they lie in the file. Throws FileError if anything in it does
/// not add up: sizes, overlaps, gaps, types that tide does not have. `metadata` may be null.
NamedArrays read_safetensors(const std::string& path, FileMetadata* metadata);

/// Replaces the file at `path`. Throws FileError.
void write_safetensors(const std::string& path, std::span<const ArrayToWrite> arrays,
                       const FileMetadata& metadata);

}  // namespace tide
