// Passes ranges on to a tool that is attached to the process by NVTX, such as Nsight Systems.
#pragma once

#include <cstdint>

namespace tide::profile {

/// Functions of the tool; null where it has none, or where there is no tool.
struct NvtxTool {
  uint64_t (*start)(const char* name) = nullptr;  ///< a range that may end anywhere
  void (*end)(uint64_t range) = nullptr;
  int (*push)(const char* name) = nullptr;  ///< a range of the calling thread
  int (*pop)() = nullptr;
};

/// The tool, which the first call attaches: the library that NVTX_INJECTION64_PATH names. There is
/// none where files are confined. From any thread.
const NvtxTool& nvtx_tool();

/// As long as it lives, the thread is in a range of the tool: "matmul train.lua:12".
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
