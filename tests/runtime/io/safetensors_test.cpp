// Safetensors files: round trips and headers that do not add up.
#include "runtime/io/safetensors.h"

#include <cstring>

#include "runtime/types/error.h"
#include "tests/runtime/io/bytes.h"
#include "tests/runtime/io/read_arrays.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string file_of(const std::string& header, const std::string& elements) {
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  return bytes + header + elements;
}

}  // namespace

TEST_CASE("safetensors files keep all types, shapes and metadata", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  std::vector<std::string> bytes;
  for (int type = 0; type < kDTypeCount; ++type)
    bytes.emplace_back(6 * size_of(static_cast<DType>(type)), type == 0 ? '\1' : 'a' + type);
  bytes.push_back("");
  std::vector<ArrayToWrite> arrays;
  for (int type = 0; type < kDTypeCount; ++type)
    arrays.push_back(
        to_write("tensor " + std::to_string(type), static_cast<DType>(type), {2, 3}, bytes[type]));
  arrays.push_back(to_write("empty", DType::f32, {3, 0}, bytes.back()));
  const FileMetadata written = {{"format", "tide"}, {"quoted \"key\"", "value"}};
  write_safetensors(path, arrays, written);

  FileMetadata metadata;
  const NamedArrays read = read_arrays(path, &metadata);
  CHECK(metadata == written);
  REQUIRE(read.size() == arrays.size());
  for (const auto& [name, array] : read) {
    CAPTURE(name);
    const auto source = std::find_if(arrays.begin(), arrays.end(),
                                     [&](const ArrayToWrite& a) { return a.name == name; });
    REQUIRE(source != arrays.end());
    CHECK(array.type == source->type);
    CHECK(array.shape == source->shape);
    CHECK(text_of(array) == bytes[source - arrays.begin()]);
  }
  CHECK(contents(path).find("\"F64\"") != std::string::npos);
  CHECK(folder.count() == 1);
}

TEST_CASE("a scalar and a file without tensors are fine", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors"), bytes(4, 'x');
  const ArrayToWrite scalar = to_write("s", DType::f32, {}, bytes);
  write_safetensors(path, {&scalar, 1}, {});
  CHECK(read_arrays(path)[0].second.shape == Shape());
  write_safetensors(path, {}, {});
  CHECK(read_arrays(path).empty());
}

TEST_CASE("safetensors errors name the file, the tensor and what is wrong", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  const auto fails_with = [&](const std::string& header, const std::string& elements,
                              const std::string& text) {
    put(path, file_of(header, elements));
    CHECK_THROWS_WITH(read_arrays(path), ContainsSubstring(path + ": ") && ContainsSubstring(text));
    CHECK_THROWS_AS(read_arrays(path), FileError);
  };
  const auto entry = [](const std::string& name, const std::string& type, const std::string& shape,
                        const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
  };
  fails_with("not json", "", "not valid JSON");
  fails_with("[]", "", "not a JSON object");
  fails_with("{\"a\":[[[[[[1]]]]]]}", "", "nested too deeply");
  fails_with("{\"a\":3}", "", "tensor 'a': is not described");
  fails_with("{" + entry("a", "F8_E8M0", "[1]", "[0,1]") + "}", "x", "type 'F8_E8M0' has no");
  fails_with("{" + entry("a", "U64", "[1]", "[0,8]") + "}", std::string(8, '\xff'),
             "int64 cannot hold");
  fails_with("{" + entry("a", "F32", "[2]", "[0,4]") + "}", "xxxx", "do not fit its shape (2)");
  fails_with("{" + entry("a", "F32", "[-1]", "[0,4]") + "}", "xxxx", "list of integers");
  fails_with("{" + entry("a", "F32", "[1.0]", "[0,4]") + "}", "xxxx", "list of integers");
  fails_with("{" + entry("a", "U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]") + "}", "x", "more than 8");
  fails_with("{" + entry("a", "U8", "[4]", "[4,0]") + "}", "xxxx", "do not fit");
  fails_with("{" + entry("a", "U8", "[18446744073709551615]", "[0,1]") + "}", "x",
             "list of integers");
  fails_with("{" + entry("a", "F32", "[4611686018427387904,4]", "[0,0]") + "}", "", "do not fit");
  fails_with("{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[2,6]") + "}",
             "xxxxxx", "tensor 'b': overlaps");
  fails_with("{" + entry("a", "U8", "[2]", "[0,2]") + "," + entry("b", "U8", "[2]", "[4,6]") + "}",
             "xxxxxx", "tensor 'b': there is a gap");
  fails_with("{" + entry("a", "U8", "[2]", "[0,2]") + "}", "xxx", "describes 2");
  fails_with("{" + entry("a", "U8", "[2000000000000]", "[0,2000000000000]") + "}", "x",
             "describes");
  fails_with("{\"__metadata__\":{\"a\":1}}", "", "not a string");
  put(path, std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10));
  CHECK_THROWS_WITH(read_arrays(path), ContainsSubstring("is not a safetensors file"));
  put(path, "abc");
  CHECK_THROWS_WITH(read_arrays(path), ContainsSubstring("is not a safetensors file"));
}

TEST_CASE("a safetensors file that cannot be written leaves the old one", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors"), bytes(4, 'x');
  put(path, "old");
  const ArrayToWrite array = to_write("x", DType::f32, {1}, bytes);
  const ArrayToWrite twice[] = {array, array};
  CHECK_THROWS_WITH(write_safetensors(path, twice, {}),
                    ContainsSubstring("the name 'x' is already used"));
  const ArrayToWrite bad_name = to_write("\xff", DType::f32, {1}, bytes);
  CHECK_THROWS_WITH(write_safetensors(path, {&bad_name, 1}, {}), ContainsSubstring("valid UTF-8"));
  const ArrayToWrite reserved = to_write("__metadata__", DType::f32, {1}, bytes);
  CHECK_THROWS_WITH(write_safetensors(path, {&reserved, 1}, {}),
                    ContainsSubstring("is already used"));
  CHECK(contents(path) == "old");
  CHECK(folder.count() == 1);
}
