// Folders of the user's, to which nobody else may write.
#pragma once

#include <string>

#include "runtime/core/descriptor.h"

namespace tide {

/// The folder at `path`, which is made, with those around it, if it is not there. None if it is not
/// this user's, or others may write to it, or it is a link: what lies in it cannot be trusted.
/// `problem`, if it is given, is then the folder and why.
Descriptor open_own_folder(const std::string& path, std::string* problem = nullptr);

}  // namespace tide
