// Writes text files by atomic replacement.
#include "bindings/support/text_file.h"

#include "runtime/os/file_replacement.h"

namespace tide {

void write_text_file(const std::string& path, std::string_view text) { replace_file(path, text); }

}  // namespace tide
