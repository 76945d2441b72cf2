// One word for one thing: the tree uses the field's terms, not the words that they replaced.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"
#include "tests/interpreter/sources.h"
#include "tests/support/catch.h"

using test::kRoot;
using test::lies_in;

namespace {

namespace fs = std::filesystem;

struct Term {
  const char* word;                   ///< that is used
  std::vector<std::string> not_in{};  ///< folders and files where the old word is another one
};

const Term kElementwise{"elementwise op"}, kCompute{"compute op"}, kIota{"iota"}, kFlush{"flush"},
    kRecomputable{"recomputable value", {"CONTRIBUTING.md"}},
    kGradFn{"grad function",
            {"interpreter", "tests/interpreter", "tests/jupyter", "tests/repl", "docs", "README.md",
             "scripts/tide/session", "scripts/tide/optim", "scripts/tide/reference",
             "scripts/tide/training", "tests/scripts/optim", "tests/scripts/training"}},
    kDefinition{"op definition", {"docs", "tests/scripts/robustness"}}, kSalvage{"salvage program"},
    kCheck{"pending check"}, kValueError{"value error"}, kBatches{"independent batches"},
    kBlocking{"blocking error, or refusal of a library"}, kMinmax{"minmax, minima and maxima"},
    kReport{"report"};

/// Old words, and pairs of words, as lower-case parts of identifiers or of sentences.
const std::map<std::string, Term> kReplaced = {
    {"meaning", kDefinition},
    {"meanings", kDefinition},
    {"light op", kElementwise},
    {"light ops", kElementwise},
    {"light math", kElementwise},
    {"heavy op", kCompute},
    {"heavy ops", kCompute},
    {"native op", kCompute},
    {"native ops", kCompute},
    {"ramp", kIota},
    {"ramps", kIota},
    {"recipe", kRecomputable},
    {"recipes", kRecomputable},
    {"hand over", kFlush},
    {"hands over", kFlush},
    {"handed over", kFlush},
    {"handing over", kFlush},
    {"history", kGradFn},
    {"histories", kGradFn},
    {"remnant", kSalvage},
    {"remnants", kSalvage},
    {"doubt", kCheck},
    {"doubts", kCheck},
    {"doubtful", kCheck},
    {"taint", kValueError},
    {"taints", kValueError},
    {"tainted", kValueError},
    {"failure book", {"error table"}},
    {"strand", kBatches},
    {"strands", kBatches},
    {"forsake", {"fail_all"}},
    {"rouse", {"wake"}},
    {"roused", {"woken"}},
    {"obstacle", kBlocking},
    {"obstacles", kBlocking},
    {"shunned", {"quarantined"}},
    {"lasting", {"must_run"}},
    {"extreme", kMinmax},
    {"extremes", kMinmax},
    {"whole convolution", {"integer convolution"}},
    {"byte product", {"int8 matmul"}},
    {"spectrum", {"eigen_svd"}},
    {"far angle", {"large-argument reduction"}},
    {"far angles", {"large-argument reduction"}},
    {"told", kReport},
    {"untold", kReport},
};

/// The words of a line, in lower case: `FailureBook`, `failure_book` and "failure book" are two.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool goes_on = false, was_lower = false;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::isalpha(byte)) {
      goes_on = false;
      continue;
    }
    const bool upper = std::isupper(byte);
    if (!goes_on || (upper && was_lower)) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(byte));
    goes_on = true;
    was_lower = !upper;
  }
  return words;
}

/// What people read of the repository: sources, tests, scripts and documents.
std::vector<fs::path> texts() {
  const std::vector<std::string> kinds = {".h",   ".cpp", ".cu",    ".cuh", ".def",
                                          ".lua", ".py",  ".cmake", ".md"};
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& path) {
    if (std::find(kinds.begin(), kinds.end(), path.extension().string()) != kinds.end()) {
      found.push_back(path);
    }
  };
  for (const char* folder : {"runtime", "bindings", "interpreter", "scripts", "tests", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) add(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(kRoot)) add(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void check_word(const std::string& word, const std::string& file, int line) {
  const auto replaced = kReplaced.find(word);
  if (replaced == kReplaced.end()) return;
  const Term& term = replaced->second;
  const bool is_another = std::any_of(term.not_in.begin(), term.not_in.end(),
                                      [&](const auto& place) { return lies_in(file, place); });
  if (!is_another) FAIL_CHECK(file << ":" << line << ": \"" << word << "\" is " << term.word);
}

}  // namespace

TEST_CASE("words are found in identifiers and in sentences", "[words]") {
  using Words = std::vector<std::string>;
  CHECK(words_of("FailureBook& book_of_all; // Failure book") ==
        Words{"failure", "book", "book", "of", "all", "failure", "book"});
}

TEST_CASE("words that were replaced are not used", "[words]") {
  size_t lines = 0;
  for (const fs::path& path : texts()) {
    const std::string name = test::name_of(path);
    // Golden cases are PyTorch's, and this file has to name the words.
    if (lies_in(name, "tests/golden") || name == "tests/interpreter/words_test.cpp") continue;
    std::istringstream text(test::read_file(path.string()));
    int number = 0;
    for (std::string line; std::getline(text, line); ++lines) {
      ++number;
      std::string before;
      for (const std::string& word : words_of(line)) {
        check_word(word, name, number);
        check_word(before + " " + word, name, number);
        before = word;
      }
    }
  }
  CHECK(lines > 100000);
}
