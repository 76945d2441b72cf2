// What is drawn over a line that readline has drawn.
#include "interpreter/repl/line_painter.h"

#include <clocale>
#include <cstdlib>

#include "tests/support/catch.h"

using namespace tide;

namespace {

/// What a painter writes whose colours are marks, for a line with the cursor at its end.
std::string drawn(const std::string& line, int columns, const std::string& hint = "",
                  const std::string& prompt = "In [1]: ") {
  LinePainter painter([&](const std::string& text, size_t) {
    return Decoration{"<" + text + ">", hint};
  });
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  painter.draw({prompt, line, line.size(), 24, columns}, out);
  painter.clear_hint(out);
  std::fclose(out);
  std::string result(text, size);
  std::free(text);
  return result;
}

}  // namespace

TEST_CASE("a line is drawn after its prompt", "[painter]") {
  CHECK(drawn("x = 1", 80) == "\0337\r\033[8C<x = 1>\0338");
  CHECK(drawn("x", 80, "", "") == "\0337\r<x>\0338");
}

TEST_CASE("a line of several rows is drawn from its first row on", "[painter]") {
  CHECK(drawn("x = 1234567", 10) == "\0337\r\033[1A\033[8C<x = 1234567>\0338");
  CHECK(drawn("12", 10) == "\0337\r\033[1A\033[8C<12>\0338");
}

TEST_CASE("a hint has the rest of the row, and is taken away", "[painter]") {
  CHECK(drawn("f(", 80, "f(x, y)") == "\0337\r\033[8C<f(>\033[K\033[2m  f(x, y)\033[0m\0338\033[K");
  CHECK(drawn("f(", 25, "f(argument, other)") ==
        "\0337\r\033[8C<f(>\033[K\033[2m  f(argumen...\033[0m\0338\033[K");
  CHECK(drawn("f(", 20, "f(argument, other)") == "\0337\r\033[8C<f(>\0338");
}

TEST_CASE("what readline shows in a form of its own is left alone", "[painter]") {
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  REQUIRE(std::setlocale(LC_CTYPE, "C.UTF-8"));
  for (const char* line : {"", "a\tb", "a\nb", "\x01", "\xff", "日本"}) {
    CAPTURE(line);
    CHECK(drawn(line, 80).empty());
  }
  CHECK(drawn("x = 'ä'", 80) == "\0337\r\033[8C<x = 'ä'>\0338");
  std::setlocale(LC_CTYPE, "C");
  CHECK(drawn("x = 'ä'", 80).empty());
  std::setlocale(LC_CTYPE, before.c_str());
  CHECK(drawn(std::string(100000, 'x'), 80).empty());
  CHECK(drawn("x", 8).empty());
  CHECK(drawn("x", 80, "", "\033[1m> ").empty());
}
