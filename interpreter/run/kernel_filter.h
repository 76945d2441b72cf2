// The sandbox's kernel filters: Landlock and seccomp hold even if the checks in this process fail.
#pragma once

#include <string>
#include <vector>

namespace tide {

/// Restricts this thread and the threads it starts, irrevocably: they can write only below
/// `writable` (and remove empty folders next to it), read only there, below `readable` and in the
/// folders of libraries, drivers and devices, and cannot start programs or open sockets. Returns a
/// message about restrictions that this kernel lacks; empty if it supports all.
std::string install_kernel_filters(const std::vector<std::string>& readable,
                                   const std::vector<std::string>& writable);

}  // namespace tide
