// Detects data races.
//
// Records the last writer and readers of each byte, with the number of barriers that their block
// and warp had passed. Two threads of a block are ordered by a barrier of the block or of their
// common warp, but not by a shuffle or vote, which CUDA does not guarantee; threads of different
// blocks are never ordered. Atomic operations do not race with each other, nor do writes of the
// same value.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/cuda/fake/ptx/lanes.h"

namespace fake {

/// A thread of a launch, and the number of barriers that its block and its warp had passed.
struct Actor {
  uint32_t block = 0, thread = 0, epoch = 0, warp_epoch = 0;
};

class RaceFinder {
 public:
  /// The race of an access, if any. Its bytes are in one page.
  std::optional<std::string> read(const uint8_t* place, size_t bytes, Actor by);
  /// `values`: the values to be written to `place`.
  std::optional<std::string> write(const uint8_t* place, size_t bytes, Actor by, bool atomic,
                                   const uint8_t* values);

  /// Forgets all accesses.
  void clear() { ++generation_; }

 private:
  /// The accesses to bytes that were always accessed together.
  struct Cell {
    Actor writer, reader;
    bool written = false, atomically = false, has_read = false;
    bool many_readers = false;  ///< several threads of the reader's warp, no barrier between them
    bool many_warps = false;    ///< and threads of other warps of its block
    bool many_blocks = false;   ///< and of other blocks
  };
  static constexpr uint64_t kPage = 1024;  ///< bytes
  struct Page {
    uint64_t generation = 0;
    uint32_t unit = 0;  ///< bytes per cell: a word, or 1 after a smaller access
    std::vector<Cell> cells;
  };

  /// The page of an access, with cells that are not larger than the access.
  Page& page_of(uint64_t place, size_t bytes);

  static std::optional<std::string> read(Cell& at, const Actor& by);
  static std::optional<std::string> write(Cell& at, const Actor& by, bool atomic, bool same);

  uint64_t generation_ = 1;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<std::pair<uint64_t, Page*>, 16> recent_{};  ///< by the last digits of their numbers
};

}  // namespace fake
