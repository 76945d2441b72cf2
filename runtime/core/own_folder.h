// Folders that belong to the user and to nobody else.
#pragma once

#include <string>

#include "runtime/core/descriptor.h"

namespace tide {

/// The folder at `path`, which is made, with those around it, if it is not there. None if it is not
/// this user's, or others may look into it (0700), or it is a link: what lies in it cannot be
/// trusted.
Descriptor open_own_folder(const std::string& path);

}  // namespace tide
