// tide.scratch: a folder that a script may write to, also in the sandbox.
#include "bindings/io/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "bindings/io/functions.h"
#include "bindings/ops/typed_function.h"
#include "runtime/os/file_access.h"

namespace tide::bindings {
namespace {

namespace fs = std::filesystem;

struct Scratch {
  std::string path;
  bool is_ours = false;
  std::mutex removal;  // the script's thread and one that ends the process may both remove it

  ~Scratch() { remove(); }
  void remove() noexcept {
    std::error_code error;
    if (!is_ours) return;
    const std::lock_guard lock(removal);
    // Retries, because a script that still runs may add a file.
    for (int tries = 0; tries < 3 && fs::exists(path, error); ++tries) {
      fs::remove_all(path, error);
      // Explicitly, because the sandbox's filter rejects the unlink that remove_all tries first.
      rmdir(path.c_str());
    }
  }
};
Scratch scratch;

std::string_view folder_of_script() { return scratch_folder(); }

constexpr Function kScratchFunctions[] = {
    typed_function<folder_of_script, "scratch", "">(
        "The folder for temporary files, removed at the end unless named by tide run --scratch; "
        "the "
        "only folder a script in the sandbox may write to",
        "local path = tide.scratch() .. \"/x.npy\"; tide.np.save(path, tide.ones(2)); "
        "tide.np.load(path) --> {1.0, 1.0}"),
};

}  // namespace

const std::string& scratch_folder() {
  if (scratch.path.empty()) {
    std::error_code error;
    std::string name = fs::temp_directory_path(error) / "tide-scratch-XXXXXX";
    if (error || !mkdtemp(name.data()))
      throw FileError("scratch: " + name + ": cannot be created: " + std::strerror(errno));
    scratch.path = name;
    scratch.is_ours = true;
  }
  return scratch.path;
}

void use_scratch_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) throw FileError(path + " is not a folder");
  scratch.path = fs::canonical(path).string();
}

void remove_scratch_folder() noexcept {
  refuse_files();
  scratch.remove();
}

std::span<const Function> scratch_functions() { return kScratchFunctions; }

}  // namespace tide::bindings
