// Looks for plugins in the program's folder and where an installation puts them; builds one that
// the build has deferred.
#include "runtime/os/plugin_path.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "runtime/os/address_space.h"
#include "runtime/os/environment.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// More than the largest plugin needs when it is opened.
constexpr size_t kRoom = 128u << 20;

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// The folder of the program or shared library that contains this function, with a trailing slash;
/// empty if it cannot be determined.
std::string own_folder() {
  Dl_info info{};
  char file[PATH_MAX];
  // For the main program dladdr returns argv[0], which may be relative to a former working
  // directory, so /proc/self/exe is used; for a shared library, the path by which it was opened.
  const bool shared = dladdr(reinterpret_cast<const void*>(&plugin_path), &info) &&
                      info.dli_fname && std::string_view(info.dli_fname).ends_with(".so") &&
                      realpath(info.dli_fname, file);
  const ssize_t size = shared ? 0 : readlink("/proc/self/exe", file, sizeof file);
  if (size < 0) return {};
  const std::string_view path = shared ? file : std::string_view(file, static_cast<size_t>(size));
  return std::string(path.substr(0, path.rfind('/') + 1));
}

/// Where the dynamic linker would find the file on behalf of the program: the run path of one
/// linked with libtide names the plugins' folder. Empty if it is not there.
std::string on_linker_path(const char* file_name) {
  Dl_serinfo head;
  void* const program = dlopen(nullptr, RTLD_LAZY);
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &head) != 0) return {};
  const std::unique_ptr<void, void (*)(void*)> memory(std::malloc(head.dls_size), std::free);
  auto* const info = static_cast<Dl_serinfo*>(memory.get());
  if (!info || dlinfo(program, RTLD_DI_SERINFOSIZE, info) != 0 ||
      dlinfo(program, RTLD_DI_SERINFO, info) != 0)
    return {};
  for (unsigned i = 0; i < info->dls_cnt; ++i) {
    const std::string path = std::string(info->dls_serpath[i].dls_name) + '/' + file_name;
    if (path[0] == '/' && exists(path)) return path;
  }
  return {};
}

/// If the plugin is missing, runs `build-plugin`, which CMake writes into the program's build
/// folder. That reports its progress and errors on stderr. Returns whether it was run.
bool build_missing_plugin(const char* file_name) {
  const std::string builder = own_folder() + "build-plugin";
  if (exists(plugin_path(file_name)) || access(builder.c_str(), X_OK) != 0) return false;
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  // The compiler must not use the script's stdin and stdout.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  char* const arguments[] = {const_cast<char*>(builder.c_str()), const_cast<char*>(file_name),
                             nullptr};
  pid_t child = 0;
  const bool started =
      posix_spawn(&child, builder.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return started;
}

}  // namespace

std::string plugin_path(const char* file_name) {
  if (const char* folder = environment_text(Variable::plugin_path); folder && *folder) {
    const std::string path = std::string(folder) + '/' + file_name;
    if (exists(path)) return path;
  }
  if (const std::string own = own_folder(); !own.empty()) {
    // lib/lua/5.4/tide.so finds lib/tide two folders up.
    for (const char* place : {"", "lib/tide/", "../lib/tide/", "../../tide/"}) {
      std::string path = own + place + file_name;
      if (exists(path)) return path;
    }
  }
  const std::string path = on_linker_path(file_name);
  return path.empty() ? file_name : path;
}

void* plugin_entry(const char* file_name, const char* entry) {
  // A library that runs out of memory while it is loaded leaves the linker locked.
  if (!has_room(kRoom))
    throw MemoryError(std::string("out of memory: no room on the host for ") + file_name);
  const bool tried = build_missing_plugin(file_name);
  // Never closed: a plugin's thread-local data lives until the process ends.
  void* library = dlopen(plugin_path(file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InternalError(
        tried ? std::string(file_name) + " could not be built: see above"
              : std::string("a plugin cannot be opened; install ") + file_name +
                    " beside tide or name its folder in TIDE_PLUGIN_PATH: " + dlerror());
  void* address = dlsym(library, entry);
  if (!address)
    throw InternalError(std::string(file_name) + " is not a plugin of this version of tide");
  return address;
}

}  // namespace tide
