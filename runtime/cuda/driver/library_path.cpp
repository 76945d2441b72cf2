// Searches the environment's paths, then the usual folders.
#include "runtime/cuda/driver/library_path.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/os/environment.h"
#include "runtime/os/plugin_path.h"

namespace tide::cuda {
namespace {

namespace fs = std::filesystem;

/// Where the first `python3` on the PATH is installed: its environment, and the target of its
/// symbolic link.
std::vector<std::string> prefixes_of_python() {
  for (const fs::path folder : environment_paths(Variable::search_path)) {
    const fs::path program = folder / "python3";
    std::error_code error;
    if (!fs::is_regular_file(program, error) || access(program.c_str(), X_OK) != 0) continue;
    const fs::path resolved = fs::canonical(program, error);
    return {program.parent_path().parent_path(), resolved.parent_path().parent_path()};
  }
  return {};
}

/// Folders of libraries, as shell patterns. Wheels are in the site-packages of the environment's,
/// the user's or the system's Python.
std::vector<std::string> folder_patterns() {
  std::vector<std::string> patterns = {
      "/usr/local/cuda/lib64",     "/usr/local/cuda-*/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
      "/usr/lib/x86_64-linux-gnu", "/opt/cuda/lib64",         "/opt/cuda/extras/CUPTI/lib64",
      "/usr/local/nvidia/lib64"};
  std::vector<std::string> pythons;
  if (const char* environment = environment_text(Variable::virtual_env))
    pythons.push_back(std::string(environment) + "/lib/python3*");
  for (const std::string& prefix : prefixes_of_python())
    pythons.push_back(prefix + "/lib/python3*");
  pythons.insert(pythons.end(), {"/usr/local/lib/python3*", "/usr/lib/python3*"});
  if (const char* environment = environment_text(Variable::conda_prefix))
    pythons.push_back(std::string(environment) + "/lib/python3*");
  pythons.push_back("/opt/*/.venv/lib/python3*");
  if (const char* home = environment_text(Variable::home)) {
    pythons.push_back(std::string(home) + "/.local/lib/python3*");
    pythons.push_back(std::string(home) + "/.pyenv/versions/*/lib/python3*");
  }
  for (const std::string& python : pythons)
    for (const char* packages : {"/site-packages", "/dist-packages"})
      patterns.push_back(python + packages + "/nvidia/*/lib");
  return patterns;
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> found;
  glob_t all{};
  if (glob(pattern.c_str(), 0, nullptr, &all) == 0)
    found.assign(all.gl_pathv, all.gl_pathv + all.gl_pathc);
  globfree(&all);
  return found;
}

}  // namespace

std::vector<std::string> requested_paths(const char* file) {
  std::vector<std::string> paths;
  for (const fs::path path : environment_paths(Variable::cuda_path)) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      paths.push_back(path.string());
      continue;
    }
    for (const char* folder : {".", "lib64", "lib"})
      if (fs::exists(path / folder / file, error))
        paths.push_back((path / folder / file).lexically_normal().string());
  }
  return paths;
}

void* open_library(const std::vector<const char*>& files,
                   const std::function<bool(void*)>& is_accepted) {
  const auto open = [&](const std::string& path) -> void* {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library || is_accepted(library)) return library;
    dlclose(library);
    return nullptr;
  };
  for (const char* file : files)
    for (const std::string& path : requested_paths(file))
      if (fs::path(path).filename() == file)
        if (void* library = open(path)) return library;
  for (const char* file : files)
    if (void* library = open(file)) return library;
  for (const std::string& pattern : folder_patterns())
    for (const char* file : files)
      for (const std::string& path : matches(pattern + "/" + file))
        if (void* library = open(path)) return library;
  return nullptr;
}

}  // namespace tide::cuda
