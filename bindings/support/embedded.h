// The files of scripts/ (the Lua library, lessons, benchmarks and their data) and the documents of
// docs/ inside the program.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// A file embedded at build time.
struct EmbeddedFile {
  std::string_view
      path;  ///< relative to scripts/, as in "tide/nn/linear.lua"; "docs/..." for documents
  std::string_view text;
};

/// All embedded files, sorted by path.
const std::vector<EmbeddedFile>& embedded_files();

/// The contents of the file at `path` below scripts/, or of a document: from the folder in the
/// environment variable TIDE_PATH if set, else embedded. None if the file does not exist.
std::optional<std::string> read_script(std::string_view path);

/// Sorted paths below scripts/ that begin with `prefix`; from the folder in TIDE_PATH if set.
std::vector<std::string> list_scripts(std::string_view prefix);

/// Sorted paths of the files in `folder` ("tide/nn/"), not in folders of it, that contain `text`.
std::vector<std::string> find_in_scripts(std::string_view folder, std::string_view text);

/// Names of the library's modules, such as "tide.nn.linear", sorted.
std::vector<std::string> library_modules();

/// Adds a package searcher for the library's modules after that of package.preload: "tide.nn" is
/// tide/nn.lua or tide/nn/init.lua. It ignores other names.
void add_library_searcher(lua_State* L);

/// The prefix of the `source` of library chunks in lua_Debug.
inline constexpr std::string_view kLibrarySource = "=[tide] ";

/// The registry field of an optional environment for the library's chunks, instead of the global
/// table.
inline constexpr char kLibraryEnvironment[] = "tide.library_environment";

/// Whether a chunk belongs to the library. Call sites and tracebacks omit its frames to show the
/// script's lines.
inline bool is_library_source(std::string_view source) {
  return source.starts_with(kLibrarySource);
}

}  // namespace tide
