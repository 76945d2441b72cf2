// Packed files and MD5 sums: what gzip and RFC 1321 give, limits, and damaged ones.
#include "runtime/io/packed_file.h"

#include "runtime/types/error.h"
#include "tests/runtime/io/bytes.h"
#include "tests/runtime/io/packed.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("packed files are unpacked, plain ones read as they are", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("x");
  const auto read = [&](const std::string& bytes, uint64_t limit) {
    put(path, bytes);
    return text_of(read_packed_file(path, limit));
  };
  CHECK(read("plain", 5) == "plain");
  CHECK(read("", 0).empty());
  CHECK(read(kPackedHello, 12) == "hello, tide\n");
  CHECK(read(kPackedHello + kPackedHello + std::string(512, '\0'), 24) ==
        "hello, tide\nhello, tide\n");
  CHECK_THROWS_WITH(read("plain", 4), path + ": holds more than the 4 bytes expected");
  CHECK_THROWS_WITH(read(kPackedHello, 11), path + ": holds more than the 11 bytes expected");
}

TEST_CASE("damaged packed files are refused", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("x");
  const auto read = [&](const std::string& bytes) {
    put(path, bytes);
    read_packed_file(path, 1000);
  };
  for (size_t length = 2; length < kPackedHello.size(); ++length)
    CHECK_THROWS_WITH(read(kPackedHello.substr(0, length)), path + ": is cut short");
  std::string wrong_sum = kPackedHello;
  wrong_sum[wrong_sum.size() - 5] ^= 1;
  CHECK_THROWS_WITH(read(wrong_sum), path + ": is damaged: incorrect data check");
  CHECK_THROWS_WITH(read(kPackedHello + "more"), path + ": is damaged: incorrect header check");
}

TEST_CASE("md5 sums are those of RFC 1321", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("x");
  const auto sum = [&](const std::string& bytes) {
    put(path, bytes);
    return md5_of_file(path);
  };
  CHECK(sum("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(sum("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(sum("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
  // By md5sum, on both sides of the ends of blocks and of the pieces that are read.
  CHECK(sum(std::string(55, 'a')) == "ef1772b6dff9a122358552954ad0df65");
  CHECK(sum(std::string(56, 'a')) == "3b0c8ac703f828b04c6c197006d17218");
  CHECK(sum(std::string(64, 'a')) == "014842d480b571495a4a0363793f7367");
  CHECK(sum(std::string((1 << 20) + 3, 'a')) == "ff2c8815ad9e7686a3ae921be4fafaa9");
  CHECK_THROWS_WITH(md5_of_file(folder.file("none")),
                    ContainsSubstring("none: cannot be read: No such file"));
}
