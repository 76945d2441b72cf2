// Resolves file names and compares them with the folders that scripts may access.
#include "runtime/os/file_access.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "runtime/types/error.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

/// The folders, with symbolic links resolved.
struct Confinement {
  fs::path readable, scratch;
};
std::optional<Confinement> confinement;  // set before scripts and threads start
std::atomic<bool> refuses_all = false;

fs::path folder_at(const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  fs::path place = fs::canonical(path, error);
  if (error) throw FileError(path + ": " + error.message());
  return place;
}

/// Whether `path` is in `folder`. The folder itself may only be read.
bool lies_in(const fs::path& path, const fs::path& folder, FileUse use) {
  if (folder.empty()) return false;
  const auto [folder_end, path_end] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return folder_end == folder.end() && (use == FileUse::read || path_end != path.end());
}

/// The path with links resolved. If the file does not exist, only its folder is resolved; if that
/// does not exist either, the path is normalized as text, as nothing can be opened through it.
std::optional<fs::path> resolve(const fs::path& path, FileUse use) {
  std::error_code error;
  if (use != FileUse::rename) {
    fs::path place = fs::canonical(path, error);
    if (!error) return place;
    // A dangling link could later point anywhere.
    if (fs::is_symlink(fs::symlink_status(path, error))) return std::nullopt;
  }
  const fs::path given = fs::absolute(path, error);
  const fs::path name = given.filename();
  if (name == "." || name == "..") return std::nullopt;
  const fs::path folder = fs::canonical(given.parent_path(), error);
  return error ? given.lexically_normal() : folder / name;
}

bool is_plain(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status) ||
         fs::is_symlink(status);
}

}  // namespace

void confine_files(const std::string& readable, const std::string& scratch) {
  confinement = {folder_at(readable), folder_at(scratch)};
}

bool files_are_confined() { return confinement.has_value(); }

void refuse_files() noexcept { refuses_all = true; }

std::optional<std::string> permitted_path(const std::string& path, FileUse use) {
  if (refuses_all.load(std::memory_order_relaxed)) return std::nullopt;
  if (!confinement) return path;
  const std::optional<fs::path> place = resolve(path, use);
  if (!place || !is_plain(*place)) return std::nullopt;
  const bool readable = use == FileUse::read && lies_in(*place, confinement->readable, use);
  if (!readable && !lies_in(*place, confinement->scratch, use)) return std::nullopt;
  return place->string();
}

std::string require_permitted(const std::string& path, FileUse use) {
  if (auto place = permitted_path(path, use)) return *place;
  if (!confinement) throw FileError(path + ": not allowed while the process ends");
  const std::string& readable = confinement->readable.native();
  std::string folders = confinement->scratch.native();
  if (use == FileUse::read && !readable.empty()) folders = readable + " and " + folders;
  throw FileError(path + ": outside the sandbox: only " + folders + " may be " +
                  (use == FileUse::read ? "read" : "written"));
}

}  // namespace tide
