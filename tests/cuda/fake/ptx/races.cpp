#include "tests/cuda/fake/ptx/races.h"

namespace fake {
namespace {

uint32_t warp_of(Actor by) { return by.thread / kWarp; }

std::string name_of(Actor by) {
  return "thread " + std::to_string(by.thread) + " of block " + std::to_string(by.block);
}

/// Whether nothing orders what the two do.
bool is_unordered(Actor a, Actor b) {
  if (a.block != b.block) return true;
  if (a.thread == b.thread || a.epoch != b.epoch) return false;
  return warp_of(a) != warp_of(b) || a.warp_epoch == b.warp_epoch;
}

}  // namespace

RaceFinder::Byte& RaceFinder::find(uint64_t byte) {
  const uint64_t number = byte / kPage;
  if (number != last_number_ || !last_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    last_number_ = number;
    last_ = page.get();
  }
  return (*last_)[byte % kPage];
}

std::optional<std::string> RaceFinder::read(uint64_t byte, Actor by) {
  Byte& at = find(byte);
  if (at.written && is_unordered(at.writer, by))
    return name_of(by) + " reads what " + name_of(at.writer) + " writes, and nothing orders them";
  if (!at.has_read || (at.reader.block == by.block && at.reader.epoch != by.epoch)) {
    at.reader = by;
    at.many_readers = at.many_warps = false;
  } else if (at.reader.block != by.block) {
    at.many_blocks = true;
  } else if (warp_of(at.reader) != warp_of(by)) {
    at.many_warps = true;
  } else if (at.reader.warp_epoch != by.warp_epoch) {
    at.reader = by;
    at.many_readers = false;
  } else if (at.reader.thread != by.thread) {
    at.many_readers = true;
  }
  at.has_read = true;
  return std::nullopt;
}

std::optional<std::string> RaceFinder::write(uint64_t byte, Actor by, bool atomic, bool same) {
  Byte& at = find(byte);
  if (at.written && is_unordered(at.writer, by) && !(atomic && at.atomically) && !same)
    return name_of(by) + " and " + name_of(at.writer) + " write, and nothing orders them";
  const bool same_phase = at.reader.block == by.block && at.reader.epoch == by.epoch;
  const bool same_warp_phase =
      same_phase && warp_of(at.reader) == warp_of(by) && at.reader.warp_epoch == by.warp_epoch;
  const bool others_read =
      at.has_read && (at.many_blocks || is_unordered(at.reader, by) ||
                      (same_phase && at.many_warps) || (same_warp_phase && at.many_readers));
  if (others_read && !same)
    return name_of(by) + " writes what " + name_of(at.reader) + " reads, and nothing orders them";
  at.writer = by;
  at.atomically = atomic;
  at.written = true;
  return std::nullopt;
}

}  // namespace fake
