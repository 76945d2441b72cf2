// Zip archives: members there and back, and what damaged ones say.
#include "runtime/io/archive.h"

#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string text_of(const ZipArchive& archive, const ZipArchive::Member& member) {
  const auto source = archive.open(member);
  std::string text(source->remaining(), '\0');
  source->read(std::as_writable_bytes(std::span(text)));
  return text;
}

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("members of an archive keep their names, order and contents", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.zip"), body(70'000, 'x');
  for (bool compress : {false, true}) {
    const ZipMember written[] = {{"b/head", "head", {}},
                                 {"a/body", "", bytes(body)},
                                 {"both", "head", bytes(body)},
                                 {"none", "", {}}};
    write_archive(path, written, compress);
    const auto archive = open_archive(path);
    const auto& members = archive->members();
    REQUIRE(members.size() == 4);
    for (size_t i : {3, 1, 0, 2}) {  // in any order, several times
      CHECK(members[i].name == written[i].name);
      const std::string expected =
          written[i].head + std::string(written[i].body.empty() ? "" : body);
      CHECK(members[i].size == expected.size());
      CHECK(text_of(*archive, members[i]) == expected);
      CHECK(text_of(*archive, members[i]) == expected);
    }
    CHECK(open_archive_bytes(contents(path))->members().size() == 4);
  }
}

TEST_CASE("members that claim the same bytes of an archive are refused", "[io]") {
  TemporaryFolder folder;
  const std::string path = folder.file("a.zip"), body(1000, 'x');
  const ZipMember written[] = {{"a", "", bytes(body)}, {"b", "", bytes(body)}};
  write_archive(path, written, false);
  std::string changed = contents(path);
  // Both entries of the directory claim 1500 bytes, packed and unpacked.
  for (size_t entry = 0; (entry = changed.find("PK\1\2", entry)) != std::string::npos; ++entry)
    for (size_t field : {20, 24}) changed.replace(entry + field, 2, "\xdc\x05");
  put(path, changed);
  CHECK_THROWS_WITH(open_archive(path),
                    ContainsSubstring(path + ": b: is damaged: the file is too short"));
}
