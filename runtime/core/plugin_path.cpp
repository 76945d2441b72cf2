// Looks for plugins beside the running program and where an installation puts them.
#include "runtime/core/plugin_path.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/core/error.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

/// The folder of the program or shared library that this function is linked into.
fs::path own_folder() {
  Dl_info info{};
  std::error_code error;
  // For the main program dladdr gives argv[0], which may be relative to a folder since left, so the
  // kernel's own answer is used there; a shared library's name is a path as opened.
  if (dladdr(reinterpret_cast<const void*>(&plugin_path), &info) && info.dli_fname) {
    fs::path file = fs::canonical(info.dli_fname, error);
    if (!error && file.extension() == ".so") return file.parent_path();
  }
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path();
}

std::atomic<void (*)()> finish_function{nullptr};

void call_finish() {
  if (const auto finish = finish_function.load()) finish();
}

}  // namespace

void finish_before_plugins(void (*finish)()) {
  finish_function = finish;
  std::atexit(call_finish);
}

std::string plugin_path(const char* file_name) {
  std::error_code error;
  if (const char* folder = std::getenv("TIDE_PLUGIN_PATH"); folder && *folder) {
    fs::path path = fs::path(folder) / file_name;
    if (fs::exists(path, error)) return path.string();
  }
  const fs::path own = own_folder();
  // lib/lua/5.4/tide.so finds lib/tide two folders up.
  for (const char* place : {".", "lib/tide", "../lib/tide", "../../tide"}) {
    fs::path path = own / place / file_name;
    if (fs::exists(path, error)) return path.lexically_normal().string();
  }
  return file_name;
}

void* plugin_entry(const char* file_name, const char* entry) {
  // Never closed: what a plugin keeps per thread lives until the process ends.
  void* library = dlopen(plugin_path(file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InternalError(std::string("a plugin cannot be opened; install ") + file_name +
                        " beside tide or name its folder in TIDE_PLUGIN_PATH: " + dlerror());
  // Handlers run in reverse order: this one before the destructors that dlopen just registered.
  std::atexit(call_finish);
  void* address = dlsym(library, entry);
  if (!address)
    throw InternalError(std::string(file_name) + " is not a plugin of this version of tide");
  return address;
}

}  // namespace tide
