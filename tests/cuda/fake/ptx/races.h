// Finds accesses to the same memory by threads that nothing orders.
//
// Of each byte the last writer and the last readers are known, with the number of barriers that
// their block and their warp had passed. Two threads of a block are ordered by a barrier between
// them, or by one of their warp if they share it, but not by a shuffle or a vote, which CUDA does
// not promise; threads of different blocks by nothing within a launch. Atomic operations do not
// disturb each other, and who writes what is there already disturbs no other writer.
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

/// A thread of a launch, and how many barriers its block and its warp had passed.
struct Actor {
  uint32_t block = 0, thread = 0, epoch = 0, warp_epoch = 0;
};

class RaceFinder {
 public:
  /// What is wrong with an access, if anything is. Its bytes lie in one page.
  std::optional<std::string> read(const uint8_t* place, size_t bytes, Actor by);
  /// `values`: what is about to be written over `place`.
  std::optional<std::string> write(const uint8_t* place, size_t bytes, Actor by, bool atomic,
                                   const uint8_t* values);

  /// Forgets all accesses.
  void clear() { ++generation_; }

 private:
  /// What is known of some bytes that were always accessed together.
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
    uint32_t unit = 0;  ///< the bytes of a cell: a word, or one once a smaller access has come
    std::vector<Cell> cells;
  };

  /// The page of an access, whose cells hold no byte that the access leaves out.
  Page& page_of(uint64_t place, size_t bytes);

  static std::optional<std::string> read(Cell& at, const Actor& by);
  static std::optional<std::string> write(Cell& at, const Actor& by, bool atomic, bool same);

  uint64_t generation_ = 1;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<std::pair<uint64_t, Page*>, 16> recent_{};  ///< by the last digits of their numbers
};

}  // namespace fake
