// The files of scripts/ (the Lua library, lessons, benchmarks and their data) and the documents of
// docs/ inside the program.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// A file as it was when the program was built.
struct EmbeddedFile {
  std::string_view path;  ///< Below scripts/, as in "tide/nn/linear.lua"; of documents "docs/...".
  std::string_view text;
};

/// All embedded files, sorted by path.
const std::vector<EmbeddedFile>& embedded_files();

/// The contents of the file at `path` below scripts/, or of a document: the tree's own if the
/// environment variable TIDE_PATH names that folder, else the embedded ones. None if there is no
/// such file.
std::optional<std::string> read_script(std::string_view path);

/// Sorted paths below scripts/ that begin with `prefix`; the tree's own with TIDE_PATH.
std::vector<std::string> list_scripts(std::string_view prefix);

/// Names of the library's modules, such as "tide.nn.linear", sorted.
std::vector<std::string> library_modules();

/// Adds a package searcher, right after the one of package.preload, that finds the library's
/// modules: "tide.nn" is tide/nn.lua or tide/nn/init.lua. Other names are left to the others.
void add_library_searcher(lua_State* L);

/// What the `source` of every chunk of the library begins with (as lua_Debug gives it).
inline constexpr std::string_view kLibrarySource = "=[tide] ";

/// The field of Lua's registry that may hold an environment for the library's chunks, in the place
/// of the global table.
inline constexpr char kLibraryEnvironment[] = "tide.library_environment";

/// Whether a chunk belongs to the library. Call sites and tracebacks leave its frames out: the
/// script's own line is what a reader looks for.
inline bool is_library_source(std::string_view source) {
  return source.starts_with(kLibrarySource);
}

}  // namespace tide
