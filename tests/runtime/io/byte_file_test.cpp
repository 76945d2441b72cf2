// Files that are read from front to back, and do not hold what they should.
#include "runtime/io/byte_file.h"

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

TEST_CASE("a file is read as far as it goes", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("bytes");
  put(path, "0123456789");
  FileSource source(path);
  CHECK(source.name() == path);
  CHECK(source.remaining() == 10);
  std::vector<std::byte> bytes(7);
  source.read(bytes);
  CHECK(bytes.front() == std::byte{'0'});
  CHECK(bytes.back() == std::byte{'6'});
  CHECK(source.remaining() == 3);
  CHECK_THROWS_WITH(source.read(bytes), path + ": is cut short");
}

TEST_CASE("a file that becomes shorter while it is read is an error", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("bytes");
  put(path, "0123456789");
  FileSource source(path);
  std::filesystem::resize_file(path, 4);
  std::vector<std::byte> bytes(7);
  CHECK_THROWS_WITH(source.read(bytes), path + ": became shorter while it was read");
}
