// Finds files of scripts/ and docs/ in the program or in TIDE_PATH, and loads library modules from
// them.
#include "bindings/support/embedded.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "bindings/support/entry.h"
#include "runtime/os/environment.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibraryFolder = "tide/";
constexpr std::string_view kDocuments = "docs/";
constexpr std::string_view kLuaSuffix = ".lua";
constexpr std::string_view kPackageSuffix = "/init.lua";

/// The folder to read instead of the embedded files; empty if none is set.
std::string tree_folder() {
  const char* folder = environment_text(Variable::path);
  return folder ? folder : "";
}

/// The base folder of a path: docs/ is next to scripts/ in the source tree.
fs::path folder_of(std::string_view path, const fs::path& scripts) {
  return path.starts_with(kDocuments) ? scripts / ".." : scripts;
}

/// The path of the module `name` ("tide.nn.linear") and its text; none if the library does not have
/// it.
std::optional<std::pair<std::string, std::string>> find_module(std::string name) {
  // Benchmarks consist of several files; they are scripts, not part of the library.
  if (!name.starts_with("tide.") && !name.starts_with("bench.")) return std::nullopt;
  std::replace(name.begin(), name.end(), '.', '/');
  for (std::string_view suffix : {kLuaSuffix, kPackageSuffix}) {
    std::string path = name + std::string(suffix);
    if (auto text = read_script(path)) return std::pair{std::move(path), std::move(*text)};
  }
  return std::nullopt;
}

/// The folder of a path prefix: "lessons/" for "lessons/0".
std::string prefix_folder(std::string_view prefix) {
  return std::string(prefix.substr(0, prefix.find_last_of('/') + 1));
}

/// The embedded files whose paths begin with `prefix`.
std::span<const EmbeddedFile> embedded_with_prefix(std::string_view prefix) {
  const std::span<const EmbeddedFile> files(embedded_files());
  const auto first = std::ranges::lower_bound(files, prefix, {}, &EmbeddedFile::path);
  const auto last = std::find_if_not(
      first, files.end(), [&](const EmbeddedFile& file) { return file.path.starts_with(prefix); });
  return {first, last};
}

/// Pushes the loader of module `name` and the file's name, or an error message, as
/// package.searchers requires. Holds no C++ object when Lua raises: see find_library_module.
int push_module(lua_State* L, const std::string& name) {
  auto found = find_module(name);
  if (!found) {
    // For other modules, the error message of require stays the same as in stock Lua.
    if (!name.starts_with("tide.")) return 0;
    lua_pushfstring(L, "no module '%s' in the tide library", name.c_str());
    return 1;
  }
  const auto& [path, text] = *found;
  const bool library = path.starts_with(kLibraryFolder);
  const std::string chunk_name =
      library ? std::string(kLibrarySource) + path.substr(kLibraryFolder.size()) : "@" + path;
  if (luaL_loadbufferx(L, text.data(), text.size(), chunk_name.c_str(), "t") != LUA_OK) return -1;
  if (lua_getfield(L, LUA_REGISTRYINDEX, kLibraryEnvironment) == LUA_TTABLE && library)
    lua_setupvalue(L, -2, 1);
  else
    lua_pop(L, 1);
  lua_pushstring(L, path.c_str());
  return 2;
}

int find_library_module(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  const int results = push_module(L, name);
  // A Lua built as C would skip destructors, so the error is raised here, where none are pending.
  return results < 0 ? lua_error(L) : results;
}

}  // namespace

std::optional<std::string> read_script(std::string_view path) {
  if (const std::string folder = tree_folder(); !folder.empty()) {
    if (path.starts_with('/') || path.find("..") != std::string_view::npos) return std::nullopt;
    const fs::path file_path = folder_of(path, folder) / path;
    std::ifstream file(file_path, std::ios::binary);
    if (!file || fs::is_directory(file_path)) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  const auto& files = embedded_files();
  auto found =
      std::lower_bound(files.begin(), files.end(), path,
                       [](const EmbeddedFile& f, std::string_view p) { return f.path < p; });
  if (found == files.end() || found->path != path) return std::nullopt;
  return std::string(found->text);
}

std::vector<std::string> list_scripts(std::string_view prefix) {
  std::vector<std::string> paths;
  if (const std::string folder = tree_folder(); !folder.empty()) {
    std::error_code error;
    const fs::path root = folder_of(prefix, folder);
    for (fs::recursive_directory_iterator file(root / prefix_folder(prefix), error), end;
         file != end; file.increment(error)) {
      if (!file->is_regular_file(error)) continue;
      std::string path = file->path().lexically_relative(root).string();
      if (path.starts_with(prefix)) paths.push_back(std::move(path));
    }
    std::sort(paths.begin(), paths.end());
  } else {
    for (const EmbeddedFile& file : embedded_with_prefix(prefix)) paths.emplace_back(file.path);
  }
  return paths;
}

std::vector<std::string> find_in_scripts(std::string_view folder, std::string_view text) {
  std::vector<std::string> paths;
  const auto look = [&](std::string_view path, std::string_view file) {
    // memmem is much faster than string_view::find, which compares at each first character.
    if (path.find('/', folder.size()) == std::string_view::npos &&
        memmem(file.data(), file.size(), text.data(), text.size()))
      paths.emplace_back(path);
  };
  if (tree_folder().empty())
    for (const EmbeddedFile& file : embedded_with_prefix(folder)) look(file.path, file.text);
  else
    for (const std::string& path : list_scripts(folder)) look(path, read_script(path).value_or(""));
  return paths;
}

std::vector<std::string> library_modules() {
  std::vector<std::string> names;
  for (std::string path : list_scripts(kLibraryFolder)) {
    if (!path.ends_with(kLuaSuffix)) continue;
    path.resize(path.size() -
                (path.ends_with(kPackageSuffix) ? kPackageSuffix : kLuaSuffix).size());
    std::replace(path.begin(), path.end(), '/', '.');
    names.push_back(std::move(path));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void add_library_searcher(lua_State* L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (lua_Integer i = luaL_len(L, -1); i >= 2; --i) {
    lua_geti(L, -1, i);
    lua_seti(L, -2, i + 1);
  }
  lua_pushcfunction(L, bindings::guard_lookup<find_library_module>);
  lua_seti(L, -2, 2);
  lua_pop(L, 2);
}

}  // namespace tide
