// Passes ranges on to an NVTX tool attached to the process, such as Nsight Systems.
#pragma once

#include <cstdint>

namespace tide::profile {

/// Functions of the tool; null if it lacks one, or if there is no tool.
struct NvtxTool {
  uint64_t (*start)(const char* name) = nullptr;  ///< a range that any thread may end
  void (*end)(uint64_t range) = nullptr;
  int (*push)(const char* name) = nullptr;  ///< a range of the calling thread
  int (*pop)() = nullptr;
};

/// The tool, attached by the first call: the library that NVTX_INJECTION64_PATH names. None if
/// files are confined. Callable from any thread.
const NvtxTool& nvtx_tool();

/// Opens a range of the tool, "matmul train.lua:12", for its lifetime on this thread.
class NvtxRange {
 public:
  /// An empty `file`: the line is not known.
  NvtxRange(const char* name, const char* file, int line) : tool_(nvtx_tool()) {
    if (tool_.push) [[unlikely]]
      push(name, file, line);
  }
  NvtxRange(const NvtxRange&) = delete;
  ~NvtxRange() {
    if (tool_.push && tool_.pop) [[unlikely]]
      tool_.pop();
  }

 private:
  void push(const char* name, const char* file, int line);

  const NvtxTool& tool_;
};

}  // namespace tide::profile
