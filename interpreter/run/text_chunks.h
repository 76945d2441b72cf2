// The kinds of chunks that this process loads.
#pragma once

namespace tide {

/// Allows chunks written by string.dump from now on. Lua does not verify them: a damaged or
/// malicious one can crash the process.
void allow_binary_chunks();

}  // namespace tide
