// Which kinds of chunks this process loads.
#pragma once

namespace tide {

/// From now on chunks that string.dump wrote are loaded too. Lua does not check them: a damaged or
/// malicious one can crash the process.
void allow_binary_chunks();

}  // namespace tide
