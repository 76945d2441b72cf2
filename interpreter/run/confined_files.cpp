// Checks each file that Lua's libraries open, remove or rename against the sandbox: the linker
// redirects their C library calls to this file (-Wl,--wrap=fopen64 ...). A denied call fails with
// EPERM.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "bindings/module.h"
#include "interpreter/run/sandbox.h"

extern "C" {
std::FILE* __real_fopen64(const char* path, const char* mode);
std::FILE* __real_freopen64(const char* path, const char* mode, std::FILE* file);
std::FILE* __real_tmpfile64();
std::FILE* __real_popen(const char* command, const char* mode);
int __real_system(const char* command);
int __real_remove(const char* path);
int __real_rename(const char* from, const char* to);
char* __real_strerror(int error);
}

namespace {

TideFileUse use_of(const char* mode) {
  return std::string_view(mode).find_first_of("wa+") == std::string_view::npos ? TideFileUse::read
                                                                               : TideFileUse::write;
}

/// Like tide_permitted_path, but sets errno if access is denied.
std::optional<std::string> permitted(const char* path, TideFileUse use) {
  auto allowed = tide_permitted_path(path, use);
  if (!allowed) errno = EPERM;
  return allowed;
}

}  // namespace

extern "C" {

std::FILE* __wrap_fopen64(const char* path, const char* mode) {
  const auto place = permitted(path, use_of(mode));
  return place ? __real_fopen64(place->c_str(), mode) : nullptr;
}

std::FILE* __wrap_freopen64(const char* path, const char* mode, std::FILE* file) {
  const auto place = permitted(path, use_of(mode));
  if (place) return __real_freopen64(place->c_str(), mode, file);
  std::fclose(file);  // as freopen does when it fails
  return nullptr;
}

std::FILE* __wrap_tmpfile64() {
  if (!tide::in_sandbox()) return __real_tmpfile64();
  const int file = open(tide_scratch().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return file < 0 ? nullptr : fdopen(file, "w+");
}

std::FILE* __wrap_popen(const char* command, const char* mode) {
  if (!tide::in_sandbox()) return __real_popen(command, mode);
  errno = EPERM;
  return nullptr;
}

int __wrap_system(const char* command) {
  if (!tide::in_sandbox()) return __real_system(command);
  errno = EPERM;
  return command ? -1 : 0;
}

int __wrap_remove(const char* path) {
  const auto place = permitted(path, TideFileUse::rename);
  return place ? __real_remove(place->c_str()) : -1;
}

int __wrap_rename(const char* from, const char* to) {
  const auto old_place = permitted(from, TideFileUse::rename);
  const auto new_place = permitted(to, TideFileUse::rename);
  return old_place && new_place ? __real_rename(old_place->c_str(), new_place->c_str()) : -1;
}

/// Replaces "Operation not permitted" for denied calls.
char* __wrap_strerror(int error) {
  static char refused[] = "not allowed in the sandbox";
  return error == EPERM && tide::in_sandbox() ? refused : __real_strerror(error);
}

}  // extern "C"
