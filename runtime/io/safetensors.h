// Safetensors files: a JSON header, then the elements of all tensors.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "runtime/io/host_array.h"

namespace tide {

/// Metadata of a file, besides its tensors.
using FileMetadata = std::map<std::string, std::string>;

/// A tensor of a file. `read` fills memory with its elements (row-major); it must be called at most
/// once.
struct StoredTensor {
  std::string name;
  DType type;
  Shape shape;
  std::function<void(std::span<std::byte>)> read;
};

/// Calls `visit` with all tensors, in file order. Throws FileError if the file is inconsistent:
/// sizes, overlaps, gaps, unsupported types. Returns the metadata.
FileMetadata read_safetensors(const std::string& path,
                              const std::function<void(const StoredTensor&)>& visit);

/// Replaces the file at `path`. Throws FileError.
void write_safetensors(const std::string& path, std::span<const ArrayToWrite> arrays,
                       const FileMetadata& metadata);

}  // namespace tide
