// The sandbox's second wall: what the kernel refuses to the process, whatever goes wrong in it.
#pragma once

#include <string>
#include <vector>

namespace tide {

/// From now on the kernel lets this thread, and those that it starts, write only below `writable`
/// (and remove empty folders beside it), and read only there, below `readable`, and where
/// libraries, drivers and devices lie; start no program and open no socket. There is no way back.
/// Returns what this kernel cannot do of it, as a sentence; empty if it can do all.
std::string raise_kernel_wall(const std::vector<std::string>& readable,
                              const std::vector<std::string>& writable);

}  // namespace tide
