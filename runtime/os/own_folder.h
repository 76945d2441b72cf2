// Folders that belong to the user and that no other user may write to.
#pragma once

#include <string>

#include "runtime/os/descriptor.h"

namespace tide {

/// Opens the folder at `path`, creating it and its parents if they do not exist. None if it belongs
/// to another user, others may write to it, or it is a symbolic link: its contents cannot be
/// trusted. Then `*problem`, if not null, is set to the folder and the reason.
Descriptor open_own_folder(const std::string& path, std::string* problem = nullptr);

}  // namespace tide
