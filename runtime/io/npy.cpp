// The npy format: a magic number, a Python dictionary as text, the elements.
#include "runtime/io/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "runtime/io/file_form.h"
#include "runtime/io/stored_type.h"
#include "runtime/os/file_replacement.h"

namespace tide {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// NumPy itself refuses longer ones by default (10 000); headers of plain arrays are short.
constexpr uint32_t kMaxNpyHeader = 1 << 16;

struct Header {
  std::string description;
  bool column_major = false;
  Shape shape;
};

/// Parses the few forms of Python literals that occur in a header.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  Header parse() {
    Header header;
    bool has_description = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') throw_file_error(file_, "records (structured types) cannot be loaded");
        header.description = string();
        has_description = true;
      } else if (key == "fortran_order") {
        header.column_major = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = shape();
        has_shape = true;
      } else {
        damaged();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_description || !has_order || !has_shape || peek() != '\0') damaged();
    return header;
  }

 private:
  [[noreturn]] void damaged() const { throw_file_error(file_, "the npy header is damaged"); }

  /// The next character that is not white space; 0 at the end.
  char peek() {
    const size_t start = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(start, rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) damaged();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged();
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) damaged();
    std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    peek();
    for (const std::string_view word : {"True", "False"})
      if (rest_.substr(0, word.size()) == word) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    damaged();
  }
  Shape shape() {
    Shape result;
    expect('(');
    while (!accept(')')) {  // skips white space
      int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) damaged();
      rest_.remove_prefix(end - rest_.data());
      accept('L');  // suffix of long integers in Python 2
      if (result.rank() == kMaxDims)
        throw_file_error(file_, "arrays of more than " + std::to_string(kMaxDims) +
                                    " dimensions cannot be loaded");
      result.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  std::string_view rest_;
  const std::string& file_;
};

struct Code {
  std::string_view code;
  StoredType type;
};
constexpr Code kCodes[] = {{"b1", DType::boolean}, {"u1", DType::u8},   {"i1", DType::i8},
                           {"i2", DType::i16},     {"i4", DType::i32},  {"i8", DType::i64},
                           {"f2", DType::f16},     {"f4", DType::f32},  {"f8", DType::f64},
                           {"u2", kUnsigned16},    {"u4", kUnsigned32}, {"u8", kUnsigned64}};

/// The type of a description such as "<f4"; none if tide lacks it.
std::optional<StoredType> type_of(std::string_view description) {
  if (description.size() != 3 || std::string_view("<>|=").find(description[0]) == std::string::npos)
    return std::nullopt;
  for (const auto& [code, type] : kCodes)
    if (description.substr(1) == code) return type;
  return std::nullopt;
}

uint32_t read_length(ByteSource& source, int bytes) {
  std::array<std::byte, 4> raw{};
  source.read(std::span(raw).first(bytes));
  uint32_t length = 0;
  for (int i = bytes; i-- > 0;) length = length << 8 | std::to_integer<uint32_t>(raw[i]);
  return length;
}

Header read_header(ByteSource& source) {
  std::array<char, 8> start;
  if (source.remaining() < start.size()) throw_wrong_form(source.name(), "an npy file");
  source.read(std::as_writable_bytes(std::span(start)));
  if (std::string_view(start.data(), kMagic.size()) != kMagic)
    throw_wrong_form(source.name(), "an npy file");
  const int version = start[6];
  if (version < 1 || version > 3)
    throw_file_error(source.name(), "npy version " + std::to_string(version) + " is unknown");
  const uint32_t length = read_length(source, version == 1 ? 2 : 4);
  if (length > kMaxNpyHeader) throw_file_error(source.name(), "the npy header is too long");
  std::string text(length, '\0');
  source.read(std::as_writable_bytes(std::span(text)));
  return HeaderParser(text, source.name()).parse();
}

/// Converts to row-major order.
HostArray from_column_major(const HostArray& array) {
  HostArray result(array.type, array.shape);
  const int rank = array.shape.rank();
  const size_t size = size_of(array.type);
  std::array<int64_t, kMaxDims> index{}, strides{};
  for (int64_t d = 0, stride = 1; d < rank; stride *= array.shape[d++]) strides[d] = stride;
  int64_t from = 0;
  for (int64_t to = 0; to < array.shape.numel(); ++to) {
    std::memcpy(result.data.get() + to * size, array.data.get() + from * size, size);
    for (int d = rank - 1; d >= 0; --d) {
      from += strides[d];
      if (++index[d] < array.shape[d]) break;
      from -= strides[d] * array.shape[d];
      index[d] = 0;
    }
  }
  return result;
}

std::string description_of(const std::string& path, const ArrayToWrite& array) {
  for (const auto& [code, type] : kCodes)
    if (type.type == array.type && !type.widened)
      return std::string(type.bytes == 1 ? "|" : "<").append(code);
  throw_file_error(path, (array.name.empty() ? "" : array.name + ": ") +
                             "npy files cannot hold bfloat16: save as safetensors, or convert to "
                             "float32 first");
}

}  // namespace

std::optional<HostArray> read_npy(ByteSource& source, std::string* unknown) {
  const Header header = read_header(source);
  const std::optional<StoredType> type = type_of(header.description);
  if (!type && unknown) {
    *unknown = header.description.substr(0, 40);
    return std::nullopt;
  }
  if (!type)
    throw_file_error(source.name(), "elements of type '" + header.description.substr(0, 40) +
                                        "' have no counterpart in tide");
  uint64_t bytes;
  // Checked before memory is allocated, so that a damaged header cannot request more than the file
  // holds.
  if (!checked_bytes(header.shape, *type, &bytes) || bytes != source.remaining())
    throw_file_error(source.name(), "holds " + std::to_string(source.remaining()) +
                                        " bytes of elements, which does not match " + type->name() +
                                        " of shape " + header.shape.text());
  HostArray array(type->type, header.shape);
  read_elements(source, *type, header.description[0] == '>', {array.data.get(), array.bytes()},
                source.name());
  if (type->widened) note_widened(source.name(), *type);
  return header.column_major && header.shape.rank() > 1 ? from_column_major(array)
                                                        : std::move(array);
}

HostArray read_npy(const std::string& path) {
  FileSource source(path);
  return *read_npy(source);
}

std::string npy_header(const std::string& path, const ArrayToWrite& array) {
  std::string text =
      "{'descr': '" + description_of(path, array) + "', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.shape) text += std::to_string(size) + ", ";
  if (array.shape.rank() > 1) text.resize(text.size() - 2);
  if (array.shape.rank() == 1) text.pop_back();
  text += "), }";
  // The elements start at a multiple of 64, after a newline.
  const size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header +=
      {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

void write_npy(const std::string& path, const ArrayToWrite& array) {
  const std::string header = npy_header(path, array);
  FileReplacement file(path);
  file.write(header);
  file.write({array.data, array.bytes()});
  file.commit();
}

}  // namespace tide
