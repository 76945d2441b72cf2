// Npy and npz files: round trips, files as NumPy writes them, and damaged ones.
#include "runtime/io/npy.h"

#include <cstring>

#include "runtime/io/npz.h"
#include "runtime/types/error.h"
#include "tests/runtime/io/bytes.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Bytes 0, 1, 2, ...; of bool 0, 1, 0, ...
std::string pattern(DType type, const Shape& shape) {
  std::string bytes(shape.numel() * size_of(type), '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(type == DType::boolean ? i & 1 : i * 7);
  return bytes;
}

bool holds(const HostArray& array, DType type, const Shape& shape, const std::string& bytes) {
  return array.type == type && array.shape == shape && array.bytes() == bytes.size() &&
         std::memcmp(array.data.get(), bytes.data(), bytes.size()) == 0;
}

/// An npy file of the given version with this header text.
std::string npy(int version, const std::string& header, const std::string& elements) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1) bytes += {'\0', '\0'};
  return bytes + header + elements;
}

const DType kNpyTypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::i16, DType::i32,
                           DType::i64,     DType::f16, DType::f32, DType::f64};

}  // namespace

TEST_CASE("npy files keep type, shape and elements", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  for (DType type : kNpyTypes)
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 0, 3}, Shape{2, 3, 4, 1, 2}}) {
      const std::string bytes = pattern(type, shape);
      write_npy(path, to_write("", type, shape, bytes));
      CHECK(holds(read_npy(path), type, shape, bytes));
      CHECK(contents(path).size() % 64 == bytes.size() % 64);
    }
  CHECK(folder.count() == 1);
}

TEST_CASE("npy headers of all versions, orders and spellings are read", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  const std::string one_two = {1, 0, 2, 0};
  for (int version : {1, 2, 3}) {
    put(path, npy(version, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n", one_two));
    CHECK(holds(read_npy(path), DType::i16, {2}, one_two));
  }
  put(path, npy(1, R"({"shape":(2,),"descr":">i2","fortran_order":False})", {0, 1, 0, 2}));
  CHECK(holds(read_npy(path), DType::i16, {2}, one_two));
  put(path, npy(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", "adbecf"));
  CHECK(holds(read_npy(path), DType::u8, {2, 3}, "abcdef"));
  put(path, npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': ()}", "x"));
  CHECK(holds(read_npy(path), DType::boolean, {}, "\1"));
  // Types without a sign, into one that holds them; and a long integer of Python 2.
  put(path, npy(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2L,)}", "\xff\xfe\1\2"));
  CHECK(holds(read_npy(path), DType::i32, {2}, std::string("\xfe\xff\0\0\2\1\0\0", 8)));
}

TEST_CASE("npy errors name the file and what is wrong", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  const auto fails_with = [&](const std::string& bytes, const std::string& text) {
    put(path, bytes);
    CHECK_THROWS_WITH(read_npy(path), ContainsSubstring(path + ": ") && ContainsSubstring(text));
    CHECK_THROWS_AS(read_npy(path), FileError);
  };
  const auto header = [](const std::string& type, const std::string& shape) {
    return "{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + "}";
  };
  fails_with("", "is not an npy file");
  fails_with("something else", "is not an npy file");
  fails_with(npy(4, "{}", ""), "npy version 4 is unknown");
  fails_with(npy(1, "{}", ""), "the npy header is damaged");
  fails_with(npy(1, header("'<f4'", "(2,)"), "1234567"), "holds 7 bytes");
  fails_with(npy(1, header("'<f4'", "(1,)"), "1234567"), "holds 7 bytes");
  fails_with(npy(1, header("'<c8'", "(1,)"), "12345678"), "'<c8' have no counterpart");
  fails_with(npy(1, header("'<u8'", "(1,)"), std::string(8, '\xff')), "int64 cannot hold");
  fails_with(npy(1, header("'|O'", "(1,)"), "12345678"), "'|O' have no counterpart");
  fails_with(npy(1, header("[('a', '<f4')]", "(1,)"), "1234"), "records");
  fails_with(npy(1, header("'<f4'", "(-1,)"), ""), "damaged");
  fails_with(npy(1, header("'<f4'", "(4611686018427387904, 4)"), ""), "holds 0 bytes");
  fails_with(npy(1, header("'<f4'", "(0, 4611686018427387904, 4)"), ""), "holds 0 bytes");
  fails_with(npy(1, header("'<f4'", "(1,1,1,1,1,1,1,1,1)"), "1234"), "more than 8 dimensions");
  CHECK_THROWS_WITH(read_npy(folder.file("none")),
                    ContainsSubstring("cannot be read: No such file"));
  CHECK_THROWS_WITH(read_npy(folder.file(".")), ContainsSubstring("is not a regular file"));
  const std::string two(2, '\0');
  CHECK_THROWS_WITH(write_npy(path, to_write("", DType::bf16, {1}, two)),
                    ContainsSubstring("cannot hold bfloat16") && ContainsSubstring("safetensors"));
}

TEST_CASE("npz files keep names, types, shapes and elements", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  for (bool compress : {false, true}) {
    std::vector<std::string> bytes;
    for (DType type : kNpyTypes) bytes.push_back(pattern(type, {30, 40}));
    bytes.push_back("");
    std::vector<ArrayToWrite> arrays;
    for (size_t i = 0; i < std::size(kNpyTypes); ++i)
      arrays.push_back(to_write("array " + std::to_string(i), kNpyTypes[i], {30, 40}, bytes[i]));
    arrays.push_back(to_write("empty", DType::f32, {0, 4}, bytes.back()));
    write_npz(path, arrays, compress);
    const NamedArrays read = read_npz(path);
    REQUIRE(read.size() == arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      CHECK(read[i].first == arrays[i].name);
      CHECK(holds(read[i].second, arrays[i].type, arrays[i].shape, bytes[i]));
    }
  }
  write_npz(path, {}, false);
  CHECK(read_npz(path).empty());
  CHECK(folder.count() == 1);
}

TEST_CASE("npz errors name the file and the member, and leave the old file", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npz"), bytes(4, 'x');
  put(path, "not a zip archive, but long enough to look for one");
  CHECK_THROWS_WITH(read_npz(path), path + ": is not a zip archive");
  CHECK_THROWS_WITH(read_npz(folder.file("none")),
                    ContainsSubstring("cannot be read: No such file"));
  const ArrayToWrite array = to_write("x", DType::f32, {1}, bytes);
  const ArrayToWrite twice[] = {array, array};
  write_npz(path, {&array, 1}, false);
  const std::string before = contents(path);
  CHECK_THROWS_WITH(write_npz(path, twice, false),
                    ContainsSubstring("two arrays have the name 'x'"));
  const ArrayToWrite narrow = to_write("b", DType::bf16, {2}, bytes);
  CHECK_THROWS_WITH(write_npz(path, {&narrow, 1}, false),
                    ContainsSubstring("b: npy files cannot hold"));
  CHECK(contents(path) == before);
  CHECK(folder.count() == 1);

  std::string damaged = before;
  damaged[damaged.find("xxxx")] = 'y';
  put(path, damaged);
  CHECK_THROWS_WITH(read_npz(path), ContainsSubstring(path + ": x.npy: is damaged"));
}

TEST_CASE("a member of an npz file that claims more bytes than deflate can hold is refused",
          "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npz"), bytes(4, 'x');
  const ArrayToWrite array = to_write("x", DType::f32, {1}, bytes);
  write_npz(path, {&array, 1}, false);
  const std::string before = contents(path);
  const size_t size_field = before.find("PK\1\2") + 24;  // in the directory at the end
  const auto claim = [&](uint32_t size) {
    std::string changed = before;
    std::memcpy(&changed[size_field], &size, sizeof size);
    put(path, changed);
  };
  // A byte of deflate's holds 1032 at most.
  const auto most = static_cast<uint32_t>(1032 * (before.size() + 1) - 1);
  const std::string refused = "x.npy: is damaged: it claims more bytes than it can hold";
  claim(most);
  CHECK_THROWS_WITH(read_npz(path), !ContainsSubstring(refused));
  claim(most + 1);
  CHECK_THROWS_WITH(read_npz(path), ContainsSubstring(refused));
}

TEST_CASE("a file that cannot be written is an error and leaves no file", "[io]") {
  TemporaryFolder folder;
  const std::string bytes(4, 'x');
  const ArrayToWrite array = to_write("x", DType::f32, {1}, bytes);
  const std::string missing = folder.file("missing/a.npy");
  CHECK_THROWS_WITH(write_npy(missing, array), ContainsSubstring(missing + ": cannot be written"));
  std::filesystem::create_directory(folder.file("folder"));
  CHECK_THROWS_WITH(write_npy(folder.file("folder"), array), ContainsSubstring("Is a directory"));
  CHECK(folder.count() == 1);
}

TEST_CASE("replacing a file keeps its mode and follows links", "[io]") {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  const std::string path = folder.file("a.npy"), link = folder.file("link.npy"), bytes(4, 'x');
  put(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, link);
  write_npy(link, to_write("", DType::f32, {1}, bytes));
  CHECK(fs::is_symlink(link));
  CHECK(holds(read_npy(path), DType::f32, {1}, bytes));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}
