// The tree itself: each folder includes only what lies below it, says in a README.md what it holds,
// and no file or folder grows out of hand.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"
#include "tests/interpreter/sources.h"
#include "tests/support/catch.h"

using test::kRoot;
using test::lies_in;
using test::name_of;

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLines = 600;
constexpr int kMaxSources = 30;

struct Rule {
  std::string folder;
  std::vector<std::string> allowed;
};

/// What the files of a folder may include beside its own. Of two that fit a file, the longer
/// counts.
const Rule kAllowed[] = {
    {"runtime/core", {}},
    {"runtime/profile", {"runtime/core"}},
    {"runtime/ir", {"runtime/core", "runtime/profile"}},
    {"runtime/device", {"runtime/core", "runtime/profile", "runtime/ir"}},
    {"runtime/record", {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device"}},
    {"runtime/plan", {"runtime/core", "runtime/ir", "runtime/device", "runtime/record"}},
    {"runtime/execute",
     {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device", "runtime/record",
      "runtime/plan"}},
    {"runtime/explain",
     {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device", "runtime/record",
      "runtime/plan", "runtime/codegen"}},
    {"runtime/tensor",
     {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device", "runtime/record"}},
    {"runtime/autograd",
     {"runtime/core", "runtime/ir", "runtime/device", "runtime/record", "runtime/tensor"}},
    {"runtime/ops",
     {"runtime/core", "runtime/ir", "runtime/device", "runtime/record", "runtime/tensor",
      "runtime/autograd"}},
    {"runtime/codegen", {"runtime/core", "runtime/profile", "runtime/ir"}},
    {"runtime/cpu", {"runtime/core", "runtime/ir", "runtime/device", "runtime/codegen"}},
    {"runtime/cuda",
     {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device", "runtime/codegen"}},
    {"runtime/io", {"runtime/core"}},
    {"runtime", {}},
    {"bindings",
     {"runtime/core", "runtime/profile", "runtime/ir", "runtime/device", "runtime/record",
      "runtime/explain", "runtime/tensor", "runtime/autograd", "runtime/ops", "runtime/io"}},
    {"interpreter", {"bindings", "runtime/core"}},
};

/// Who may ask which kind a device is: those that make the kinds, and script functions that are
/// named after one. All others ask for a capability (runtime/device/platform.h).
const std::set<std::string> kKnowKinds = {
    "bindings/device/cuda.cpp",       "bindings/device/devices.cpp", "bindings/device/sim.cpp",
    "bindings/tensor/properties.cpp", "runtime/core/device.cpp",     "runtime/core/device.h",
};

/// All files below a folder of the repository that have one of the suffixes.
std::vector<fs::path> files(const std::string& folder, const std::vector<std::string>& suffixes) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string suffix = entry.path().extension().string();
    if (std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end()) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

const Rule& rule_of(const std::string& file) {
  const Rule* found = nullptr;
  for (const Rule& rule : kAllowed) {
    if (lies_in(file, rule.folder) && (!found || rule.folder.size() > found->folder.size())) {
      found = &rule;
    }
  }
  REQUIRE(found);
  return *found;
}

/// The lines of a file that match, as their first group.
std::vector<std::string> matches(const fs::path& file, const std::regex& line_pattern) {
  std::vector<std::string> found;
  std::istringstream lines(test::read_file(file.string()));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, line_pattern)) found.push_back(match[1]);
  }
  return found;
}

}  // namespace

TEST_CASE("each folder includes only what lies below it", "[layout]") {
  const std::regex own("#include \"((?:runtime|bindings|interpreter|tests)/[^\"]*)\".*");
  for (const char* folder : {"runtime", "bindings", "interpreter"}) {
    for (const fs::path& file : files(folder, {".h", ".cpp", ".cu", ".cuh", ".def"})) {
      const std::string name = name_of(file);
      const Rule& rule = rule_of(name);
      for (const std::string& header : matches(file, own)) {
        if (!lies_in(header, rule.folder) &&
            std::none_of(rule.allowed.begin(), rule.allowed.end(),
                         [&](const std::string& allowed) { return lies_in(header, allowed); }))
          FAIL_CHECK(name << " includes " << header);
      }
    }
  }
}

TEST_CASE("the runtime knows no Lua", "[layout]") {
  const std::regex lua("#include [\"<](lua[^\">]*).*");
  for (const fs::path& file : files("runtime", {".h", ".cpp", ".cu", ".cuh", ".def"})) {
    CAPTURE(file.string());
    CHECK(matches(file, lua).empty());
  }
}

TEST_CASE("nobody asks which kind a device is", "[layout]") {
  const std::regex question(
      "(.*(?:[=!]= *(?:tide::)?DeviceKind::|DeviceKind::\\w+\\)* *[=!]=|case +DeviceKind::).*)");
  std::set<std::string> met;
  for (const char* folder : {"runtime", "bindings", "interpreter"}) {
    for (const fs::path& file : files(folder, {".h", ".cpp", ".cu", ".cuh", ".def"})) {
      const std::string name = name_of(file);
      for (const std::string& line : matches(file, question)) {
        met.insert(name);
        if (!kKnowKinds.contains(name)) FAIL_CHECK(name << " asks for a kind of device: " << line);
      }
    }
  }
  for (const std::string& name : kKnowKinds)
    if (!met.contains(name)) FAIL_CHECK("no exception is needed for " << name);
}

TEST_CASE("a source bears the name of the header that declares it", "[layout]") {
  // What lies in runtime/ itself may name all folders, and defines what lower ones declare.
  std::map<fs::path, std::vector<std::string>> headers;
  for (const fs::path& file : files("runtime", {".h"})) {
    headers[file.parent_path()].push_back(file.stem().string());
    headers[kRoot / "runtime"].push_back(file.stem().string());
  }
  for (const fs::path& file : files("runtime", {".cpp"})) {
    const std::vector<std::string>& names = headers[file.parent_path()];
    const std::string stem = file.stem().string();
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return stem == name || stem.starts_with(name + "_");
        }))
      FAIL_CHECK(name_of(file) << " has no header");
  }
}

TEST_CASE("each folder says what it holds, and holds no more than a reader takes in", "[layout]") {
  std::map<std::string, int> sources;
  for (const char* folder : {"runtime", "bindings", "interpreter", "scripts", "tests"}) {
    for (const fs::path& file :
         files(folder, {".h", ".cpp", ".cu", ".cuh", ".def", ".lua", ".py"})) {
      for (fs::path above = file.parent_path(); above != kRoot; above = above.parent_path()) {
        sources[name_of(above)] += above == file.parent_path();
      }
    }
  }
  for (const auto& [folder, count] : sources) {
    CAPTURE(folder);
    CHECK(count <= kMaxSources);
    // Below tests/ folders mirror the sources: those of the first storey speak for them.
    const bool mirrors =
        lies_in(folder, "tests") && std::count(folder.begin(), folder.end(), '/') > 1;
    CHECK((mirrors || fs::exists(kRoot / folder / "README.md")));
  }
}

namespace {

/// A file or folder of scripts/tide, and those whose files it requires.
using Requirements = std::map<std::string, std::set<std::string>>;

Requirements requirements_of_library() {
  static const std::regex required(R"(require\s*\(?\s*["']tide\.(\w+))");
  Requirements found;
  for (const fs::path& file : files("scripts/tide", {".lua"})) {
    const fs::path within = file.lexically_relative(kRoot / "scripts/tide");
    const std::string unit = within.begin()->stem().string(), text = test::read_file(file.string());
    for (std::sregex_iterator each(text.begin(), text.end(), required), end; each != end; ++each)
      if ((*each)[1] != unit) found[unit].insert((*each)[1]);
  }
  return found;
}

/// A circle that leads from the last of `path` to one before, as text; empty if there is none.
std::string circle_from(const Requirements& all, std::vector<std::string>& path,
                        std::set<std::string>& done) {
  const auto own = all.find(path.back());
  for (const std::string& next : own == all.end() ? std::set<std::string>() : own->second) {
    const auto before = std::find(path.begin(), path.end(), next);
    if (before != path.end()) {
      std::string text;
      for (auto each = before; each != path.end(); ++each) text += *each + " requires ";
      return text + next;
    }
    if (done.contains(next)) continue;
    path.push_back(next);
    if (std::string text = circle_from(all, path, done); !text.empty()) return text;
    path.pop_back();
  }
  done.insert(path.back());
  return {};
}

}  // namespace

TEST_CASE("files and folders of the library require each other in one direction", "[layout]") {
  const Requirements all = requirements_of_library();
  CHECK(all.size() > 20);
  std::set<std::string> done;
  for (const auto& [unit, others] : all) {
    std::vector<std::string> path = {unit};
    if (!done.contains(unit)) CHECK(circle_from(all, path, done) == "");
  }
}

TEST_CASE("the environment is read in one place", "[layout]") {
  for (const char* folder : {"runtime", "bindings", "interpreter"}) {
    for (const fs::path& file : files(folder, {".h", ".cpp"})) {
      const std::string name = file.string();
      // A plugin of oneDNN's build, which tide's own libraries are not linked to.
      if (name.ends_with("runtime/core/environment.cpp") || name.ends_with("dnnl/plugin.cpp"))
        continue;
      CAPTURE(name);
      CHECK(test::read_file(name).find("getenv(") == std::string::npos);
    }
  }
}

TEST_CASE("no file has more lines than a reader takes in", "[layout]") {
  for (const char* folder : {"runtime", "bindings", "interpreter", "scripts", "tests"}) {
    for (const fs::path& file :
         files(folder, {".h", ".cpp", ".cu", ".cuh", ".def", ".lua", ".py", ".cmake"})) {
      const std::string text = test::read_file(file.string());
      CAPTURE(file.string());
      CHECK(std::count(text.begin(), text.end(), '\n') <= kMaxLines);
    }
  }
}
