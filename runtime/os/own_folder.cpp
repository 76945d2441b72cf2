// Opens folders and checks their owner.
#include "runtime/os/own_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tide {
namespace {

void create_folders(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

}  // namespace

Descriptor open_own_folder(const std::string& path, std::string* problem) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(open(path.c_str(), kFlags));
  if (folder < 0) {
    create_folders(path);
    folder = Descriptor(open(path.c_str(), kFlags));
  }
  struct stat status;
  std::string found;
  if (folder < 0 || fstat(folder, &status) != 0)
    found = std::strerror(errno);
  else if (status.st_uid != geteuid())
    found = "it belongs to another user";
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    found = "others may write to it: chmod go-w";
  if (found.empty()) return folder;
  if (problem) *problem = path + ": " + found;
  return Descriptor();
}

}  // namespace tide
