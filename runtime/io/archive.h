// Zip archives: npz files, and the files of PyTorch's torch.save.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/io/zip/plugin.h"

namespace tide {

/// The archive at `path`. Throws FileError.
std::unique_ptr<ZipArchive> open_archive(const std::string& path);

/// An archive from its bytes.
std::unique_ptr<ZipArchive> open_archive_bytes(std::string_view bytes);

/// Replaces the file at `path`. `compress`: deflate the members. Throws FileError.
void write_archive(const std::string& path, std::span<const ZipMember> members, bool compress);

}  // namespace tide
