// Finds accesses to one byte by threads that nothing orders.
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

namespace fake {

constexpr int kWarp = 32;  ///< threads

/// A thread of a launch, and how many barriers its block and its warp had passed.
struct Actor {
  uint32_t block = 0, thread = 0, epoch = 0, warp_epoch = 0;
  bool operator==(const Actor&) const = default;
};

class RaceFinder {
 public:
  /// What is wrong with an access, if anything is; `same`: the byte keeps its value.
  std::optional<std::string> read(uint64_t byte, Actor by);
  std::optional<std::string> write(uint64_t byte, Actor by, bool atomic, bool same);

  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  struct Byte {
    Actor writer, reader;
    bool written = false, atomically = false, has_read = false;
    bool many_readers =
        false;                ///< several threads of the reader's warp, and no barrier between them
    bool many_warps = false;  ///< and threads of other warps of its block
    bool many_blocks = false;  ///< and of other blocks
  };
  static constexpr uint64_t kPage = 1024;
  using Page = std::array<Byte, kPage>;

  Byte& find(uint64_t byte);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace fake
