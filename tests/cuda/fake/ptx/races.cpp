#include "tests/cuda/fake/ptx/races.h"

#include <cstring>

namespace fake {
namespace {

uint32_t warp_of(const Actor& by) { return by.thread / kWarp; }

std::string name_of(const Actor& by) {
  return "thread " + std::to_string(by.thread) + " of block " + std::to_string(by.block);
}

/// Whether the two accesses are unordered.
bool is_unordered(const Actor& a, const Actor& b) {
  if (a.block != b.block) return true;
  if (a.thread == b.thread || a.epoch != b.epoch) return false;
  return warp_of(a) != warp_of(b) || a.warp_epoch == b.warp_epoch;
}

}  // namespace

RaceFinder::Page& RaceFinder::page_of(uint64_t place, size_t bytes) {
  const uint64_t number = place / kPage;
  auto& [recent_number, page] = recent_[number % recent_.size()];
  if (number != recent_number || !page) {
    std::unique_ptr<Page>& found = pages_[number];
    if (!found) found = std::make_unique<Page>();
    recent_number = number;
    page = found.get();
  }
  constexpr uint32_t kWord = 4;
  if (page->generation != generation_) {
    page->generation = generation_;
    page->unit = kWord;
    page->cells.assign(kPage / kWord, Cell());
  }
  if (page->unit == kWord && (place | bytes) % kWord) {
    std::vector<Cell> cells(kPage);
    for (size_t i = 0; i < kPage; ++i) cells[i] = page->cells[i / kWord];
    page->cells = std::move(cells);
    page->unit = 1;
  }
  return *page;
}

std::optional<std::string> RaceFinder::read(const uint8_t* place, size_t bytes, Actor by) {
  const auto first = reinterpret_cast<uint64_t>(place);
  Page& page = page_of(first, bytes);
  Cell* cell = &page.cells[first % kPage / page.unit];
  for (size_t i = 0; i < bytes; i += page.unit)
    if (auto wrong = read(*cell++, by)) return wrong;
  return std::nullopt;
}

std::optional<std::string> RaceFinder::write(const uint8_t* place, size_t bytes, Actor by,
                                             bool atomic, const uint8_t* values) {
  const auto first = reinterpret_cast<uint64_t>(place);
  Page& page = page_of(first, bytes);
  Cell* cell = &page.cells[first % kPage / page.unit];
  for (size_t i = 0; i < bytes; i += page.unit) {
    const bool same = std::memcmp(values + i, place + i, page.unit) == 0;
    if (auto wrong = write(*cell++, by, atomic, same)) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> RaceFinder::read(Cell& at, const Actor& by) {
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

std::optional<std::string> RaceFinder::write(Cell& at, const Actor& by, bool atomic, bool same) {
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
