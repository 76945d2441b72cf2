// How much memory of the host scripts and tensors take together, and may take.
#pragma once

#include <cstddef>
#include <string>

namespace tide {

/// From now on take_memory refuses what would bring the sum above so many bytes.
void limit_memory(size_t bytes);

/// The limit; 0 if there is none.
size_t memory_limit();

/// What errors add about the limit: ", memory limit 512.0 MB, taken 500.0 MB"; empty without one.
std::string memory_limit_text();

/// Counts bytes that are about to be allocated; false, and nothing counted, if the limit is too
/// low.
bool take_memory(size_t bytes);

/// Counts bytes whatever the limit.
void count_memory(size_t bytes);

/// Takes back what was counted.
void return_memory(size_t bytes);

}  // namespace tide
