// MD5, block by block.
#include "runtime/io/md5.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tide {
namespace {

constexpr size_t kBlock = 64;
/// Rotations of the 4 alternating steps in each of the 4 rounds.
constexpr int kRotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// Word i is the integer part of 2^32 |sin(i + 1)|.
std::array<uint32_t, kBlock> sine_words() {
  std::array<uint32_t, kBlock> words;
  for (size_t i = 0; i < kBlock; ++i)
    words[i] = static_cast<uint32_t>(std::floor(0x1p32 * std::fabs(std::sin(double(i + 1)))));
  return words;
}

/// The mix of three words in step `i`, and the index of the block's word that it adds.
std::pair<uint32_t, int> mixed(int i, uint32_t b, uint32_t c, uint32_t d) {
  switch (i / 16) {
    case 0:
      return {(b & c) | (~b & d), i};
    case 1:
      return {(d & b) | (~d & c), (5 * i + 1) % 16};
    case 2:
      return {b ^ c ^ d, (3 * i + 5) % 16};
    default:
      return {c ^ (b | ~d), 7 * i % 16};
  }
}

}  // namespace

void Md5::take_block(const std::byte* block) {
  static const std::array<uint32_t, kBlock> sines = sine_words();
  uint32_t words[16];  // little-endian, as on all machines that tide supports
  std::memcpy(words, block, sizeof words);
  auto [a, b, c, d] = state_;
  for (int i = 0; i < 64; ++i) {
    const auto [mix, word] = mixed(i, b, c, d);
    const uint32_t sum = a + mix + sines[i] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[i / 16][i % 4]);
  }
  state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d};
}

void Md5::add(std::span<const std::byte> bytes) {
  const size_t held = size_ % kBlock;
  size_ += bytes.size();
  if (held > 0) {
    const auto part = bytes.first(std::min(bytes.size(), kBlock - held));
    std::ranges::copy(part, waiting_.begin() + held);
    bytes = bytes.subspan(part.size());
    if (held + part.size() < kBlock) return;
    take_block(waiting_.data());
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) take_block(bytes.data());
  std::ranges::copy(bytes, waiting_.begin());
}

std::string Md5::text() {
  const uint64_t bits = size_ * 8;
  const std::byte mark{0x80}, zero{0};
  add({&mark, 1});
  while (size_ % kBlock != kBlock - sizeof bits) add({&zero, 1});
  add(std::as_bytes(std::span(&bits, 1)));
  std::string digits;
  for (uint32_t word : state_)
    for (int place = 0; place < 32; place += 4)
      digits += "0123456789abcdef"[word >> (place ^ 4) & 15];
  return digits;
}

}  // namespace tide
