// tide.scratch: where a script may write, in the sandbox too.
#include "bindings/io/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "bindings/io/functions.h"
#include "bindings/support/entry.h"
#include "runtime/core/file_access.h"

namespace tide::bindings {
namespace {

namespace fs = std::filesystem;

struct Scratch {
  std::string path;
  bool is_ours = false;
  std::mutex removal;  // the thread that ends the process and the script's may both begin one

  ~Scratch() { remove(); }
  void remove() noexcept {
    std::error_code error;
    if (!is_ours) return;
    const std::lock_guard lock(removal);
    // A script that still runs may have been about to add a file: then once more.
    for (int tries = 0; tries < 3 && fs::exists(path, error); ++tries) {
      fs::remove_all(path, error);
      // By its own call: the sandbox's kernel refuses remove_all's, which tries to unlink it first.
      rmdir(path.c_str());
    }
  }
};
Scratch scratch;

int push_scratch_folder(lua_State* L) {
  const std::string& path = scratch_folder();
  lua_pushlstring(L, path.data(), path.size());
  return 1;
}

constexpr Function kScratchFunctions[] = {
    {"scratch", guard<push_scratch_folder>, "",
     "The folder for temporary files, removed at the end unless tide run --scratch names it; the "
     "only one that a script may write in the sandbox",
     "local path = tide.scratch() .. \"/x.npy\"; tide.np.save(path, tide.ones(2)); "
     "tide.np.load(path) --> {1.0, 1.0}"},
};

}  // namespace

const std::string& scratch_folder() {
  if (scratch.path.empty()) {
    std::error_code error;
    std::string name = fs::temp_directory_path(error) / "tide-scratch-XXXXXX";
    if (error || !mkdtemp(name.data()))
      throw FileError("scratch: " + name + ": cannot be made: " + std::strerror(errno));
    scratch.path = name;
    scratch.is_ours = true;
  }
  return scratch.path;
}

void use_scratch_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) throw FileError(path + ": is not a folder");
  scratch.path = fs::canonical(path).string();
}

void remove_scratch_folder() noexcept {
  refuse_files();
  scratch.remove();
}

std::span<const Function> scratch_functions() { return kScratchFunctions; }

}  // namespace tide::bindings
