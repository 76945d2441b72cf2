// Scratch memory that kernels work in, ours and those of libraries.
#pragma once

#include <map>

#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda {

/// A block for each stream: what runs on one stream takes turns with it. Blocks are kept until
/// memory is short. Used with the device's context current.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;

  /// The stream's block of at least so many bytes; throws MemoryError if there is no room. It may
  /// lie elsewhere after a call that asks for more; making it larger waits for the stream.
  void* get(Stream stream, size_t bytes);
  /// Gives large blocks back, and waits for the streams that use them.
  void release_large();

  static constexpr size_t kKept = size_t{64} << 20;  ///< bytes of a block that stays

 private:
  struct Block {
    DevicePointer data = 0;
    size_t bytes = 0;
  };
  static void give_back(Stream stream, Block& block);

  std::map<Stream, Block> blocks_;
};

}  // namespace tide::cuda
