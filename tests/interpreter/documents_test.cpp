// The documents: short lines and paragraphs, links that lead somewhere, an example that runs.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"
#include "tests/interpreter/sources.h"
#include "tests/support/catch.h"

using test::kRoot;
using test::name_of;

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostColumns = 120;
constexpr size_t kMostLines = 150;  // of the two documents that a newcomer reads first
constexpr int kLongestParagraph = 5;

/// All documents of the repository.
std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  for (const char* folder : {"runtime", "bindings", "interpreter", "scripts", "tests", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(test::read_file(file.string()));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// Characters of UTF-8.
size_t columns(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool opens_or_closes_code(const std::string& line) { return line.starts_with("```"); }

/// Whether a line outside of code belongs to no paragraph.
bool stands_alone(const std::string& line) {
  return line.find_first_not_of(' ') == std::string::npos || line.starts_with('|') ||
         line.starts_with('#') || line.starts_with("<!--");
}

/// Where a paragraph or an item of a list is too long: the number of its first line too many.
std::vector<size_t> ends_of_long_paragraphs(const std::vector<std::string>& lines) {
  static const std::regex kItem(R"( *([-*]|\d+\.) .*)");
  std::vector<size_t> found;
  bool code = false;
  int length = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (opens_or_closes_code(lines[i])) code = !code;
    if (code || opens_or_closes_code(lines[i]) || stands_alone(lines[i])) {
      length = 0;
      continue;
    }
    if (std::regex_match(lines[i], kItem)) length = 0;
    if (++length == kLongestParagraph + 1) found.push_back(i + 1);
  }
  return found;
}

/// What links and pictures of a document name, but for addresses of the web.
std::vector<std::string> links_of(const fs::path& file) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> found;
  const std::string text = test::read_file(file.string());
  for (std::sregex_iterator link(text.begin(), text.end(), kLink), end; link != end; ++link) {
    const std::string target = (*link)[1];
    if (target.find("://") == std::string::npos) found.push_back(target);
  }
  return found;
}

/// The anchor that a heading has on the web: small letters, digits, and dashes for blanks.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (char c : heading.substr(heading.find_first_not_of("# "))) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

bool has_anchor(const fs::path& file, const std::string& anchor) {
  const std::vector<std::string> lines = lines_of(file);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with('#') && anchor_of(line) == anchor;
  });
}

/// Whether a link of `file` leads to a file, and its anchor to a heading.
bool leads_somewhere(const fs::path& file, const std::string& link) {
  const size_t hash = link.find('#');
  const std::string path = link.substr(0, hash);
  const fs::path target = path.empty() ? file : file.parent_path() / path;
  if (!fs::exists(target)) return false;
  return hash == std::string::npos || has_anchor(target, link.substr(hash + 1));
}

/// The code blocks of a document that are in a language.
std::vector<std::string> code_of(const fs::path& file, const std::string& language) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(file)) {
    if (opens_or_closes_code(line)) {
      inside = line == "```" + language;
      if (inside) found.emplace_back();
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no line of a document is too long", "[documents]") {
  for (const fs::path& file : documents()) {
    const std::vector<std::string> lines = lines_of(file);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (columns(lines[i]) <= kMostColumns) continue;
      FAIL_CHECK(name_of(file) << ":" << i + 1 << " has " << columns(lines[i]) << " columns");
    }
  }
}

TEST_CASE("no paragraph of a document is too long", "[documents]") {
  for (const fs::path& file : documents()) {
    for (size_t line : ends_of_long_paragraphs(lines_of(file))) {
      FAIL_CHECK(name_of(file) << ":" << line << " is in a paragraph of more than "
                               << kLongestParagraph << " lines");
    }
  }
}

TEST_CASE("what a newcomer reads first is short", "[documents]") {
  for (const char* name : {"README.md", "ARCHITECTURE.md"}) {
    CAPTURE(name);
    CHECK(lines_of(kRoot / name).size() <= kMostLines);
  }
}

TEST_CASE("links between documents lead somewhere", "[documents]") {
  size_t links = 0;
  for (const fs::path& file : documents()) {
    for (const std::string& link : links_of(file)) {
      ++links;
      if (!leads_somewhere(file, link)) FAIL_CHECK(name_of(file) << " links to " << link);
    }
  }
  CHECK(links > 0);
}

TEST_CASE("the README's example runs and learns", "[documents]") {
  const std::vector<std::string> examples = code_of(kRoot / "README.md", "lua");
  REQUIRE(examples.size() == 1);
  const test::TemporaryFolder folder;
  folder.write("example.lua", examples[0]);
  const test::Outcome outcome = test::run_tide({"example.lua"}, "", folder.path());
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(std::stod("0" + outcome.out) > 0);
  CHECK(std::stod("0" + outcome.out) < 0.6);  // ln 3, about 1.1, before it learns
}
