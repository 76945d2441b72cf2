// Thousands of damaged variants of good files: each is read or refused, nothing else.
#include <sys/resource.h>

#include <functional>
#include <random>

#include "runtime/io/image.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "runtime/io/packed_file.h"
#include "runtime/types/error.h"
#include "tests/runtime/io/packed.h"
#include "tests/runtime/io/pictures.h"
#include "tests/runtime/io/read_arrays.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

constexpr int kVariants = 4000;

/// Between 1 and 4 changes: bytes set, bits turned, pieces cut out, doubled or put elsewhere, ends
/// cut off or added.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t n) { return n ? random() % n : 0; };
  for (int changes = static_cast<int>(below(4)) + 1; changes > 0 && !bytes.empty(); --changes) {
    const size_t place = below(bytes.size()), length = below(std::min<size_t>(24, bytes.size()));
    switch (below(7)) {
      case 0:
        bytes[place] = static_cast<char>(random());
        break;
      case 1:
        bytes[place] = static_cast<char>(bytes[place] ^ 1 << below(8));
        break;
      case 2:
        bytes.erase(place, length);
        break;
      case 3:
        bytes.insert(below(bytes.size()), bytes.substr(place, length));
        break;
      case 4:
        bytes.resize(place);
        break;
      case 5:
        bytes.append(length + 1, static_cast<char>(random()));
        break;
      default:
        // Digits make sizes and offsets absurd without spoiling the text around them.
        if (const size_t digit = bytes.find_first_of("0123456789", place); digit < bytes.size())
          bytes[digit] = static_cast<char>('0' + below(10));
    }
  }
  return bytes;
}

/// Reads variants of the file at `path`; reports how many were refused.
int count_refused(const std::string& path, uint32_t seed,
                  const std::function<void(const std::string&)>& read) {
  const std::string good = contents(path);
  std::mt19937 random(seed);
  int refused = 0;
  for (int variant = 0; variant < kVariants; ++variant) {
    put(path, mutated(good, random));
    try {
      read(path);
    } catch (const FileError& error) {
      ++refused;
      if (std::string(error.what()).find(path) == std::string::npos) FAIL(error.what());
    }
  }
  return refused;
}

long peak_kilobytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("damaged files are refused with a FileError and no more memory than they hold",
          "[io][serial]") {
  TemporaryFolder folder;
  const std::string path = folder.file("x"), bytes(2 * 3 * 4, '\1');
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  const ArrayToWrite arrays[] = {{"first", DType::f32, {2, 3}, data},
                                 {"second", DType::i16, {4, 3}, data},
                                 {"third", DType::boolean, {24}, data}};
  const long before = peak_kilobytes();
  write_npy(path, arrays[0]);
  CHECK(count_refused(path, 1, [](const std::string& p) { read_npy(p); }) > kVariants / 3);
  write_safetensors(path, arrays, {{"format", "tide"}});
  CHECK(count_refused(path, 2, [](const std::string& p) { read_arrays(p); }) > kVariants / 3);
  for (bool compress : {false, true}) {
    write_npz(path, arrays, compress);
    CHECK(count_refused(path, 3, [](const std::string& p) { read_npz(p); }) > kVariants / 3);
  }
  put(path, kPackedHello + kPackedHello);
  CHECK(count_refused(path, 20, [](const std::string& p) { read_packed_file(p, 1 << 20); }) >
        kVariants / 3);
  // The address sanitizer alone holds back 256 MB of freed memory.
  CHECK(peak_kilobytes() - before < 600'000);
}

TEST_CASE("damaged pictures are decoded or refused with a FileError", "[io][serial]") {
  TemporaryFolder folder;
  const std::string path = folder.file("x");
  uint32_t seed = 4;
  for (const std::string& picture :
       {kInterlacedPng, kDeepPng, kProgressiveJpeg, kCmykJpeg, kTurnedJpeg}) {
    put(path, picture);
    for (ImageMode mode : {ImageMode::unchanged, ImageMode::gray_alpha, ImageMode::rgb}) {
      ImageRequest request;
      request.mode = mode;
      request.max_pixels = 100'000;
      request.apply_exif_orientation = true;
      put(path, picture);
      const int refused = count_refused(path, ++seed, [&](const std::string& p) {
        decode_image(read_whole_file(p).text(), p, request);
      });
      CHECK(refused > kVariants / 4);
    }
  }
}
