// Writes JUnit XML.
#include "interpreter/test/junit.h"

#include <sstream>

#include "bindings/support/text_file.h"

namespace tide {
namespace {

/// Escapes text for an XML attribute or element; drops control characters, which XML does not
/// allow.
std::string quoted(const std::string& text) {
  std::string quoted;
  for (unsigned char c : text) {
    switch (c) {
      case '<':
        quoted += "&lt;";
        break;
      case '>':
        quoted += "&gt;";
        break;
      case '&':
        quoted += "&amp;";
        break;
      case '"':
        quoted += "&quot;";
        break;
      case '\n':
        quoted += "&#10;";
        break;
      default:
        if (c >= ' ' || c == '\t') quoted += static_cast<char>(c);
    }
  }
  return quoted;
}

void write_test(std::ostream& out, const FileResult& file, const TestResult& test) {
  out << "    <testcase classname=\"" << quoted(file.path) << "\" name=\"" << quoted(test.name)
      << "\" time=\"" << test.seconds << "\">";
  if (test.status == "failed") out << "<failure message=\"" << quoted(test.message) << "\"/>";
  if (test.status == "pending") out << "<skipped/>";
  out << "</testcase>\n";
}

void write_file(std::ostream& out, const FileResult& file) {
  out << "  <testsuite name=\"" << quoted(file.path) << "\" tests=\"" << file.tests.size()
      << "\" failures=\"" << file.count("failed") << "\" skipped=\"" << file.count("pending")
      << "\" time=\"" << file.seconds << "\">\n";
  for (const TestResult& test : file.tests) write_test(out, file, test);
  if (!file.output.empty()) out << "    <system-out>" << quoted(file.output) << "</system-out>\n";
  out << "  </testsuite>\n";
}

}  // namespace

void write_junit(const std::string& path, const std::vector<FileResult>& files) {
  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const FileResult& file : files) write_file(out, file);
  out << "</testsuites>\n";
  write_text_file(path, out.str());
}

}  // namespace tide
