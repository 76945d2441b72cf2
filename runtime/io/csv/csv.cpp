// Splits text into records and fields.
#include "runtime/io/csv/csv.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace tide {

std::string CsvField::value() const {
  std::string result(text);
  size_t length = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    result[length++] = result[i];
    i += result[i] == '"';
  }
  result.resize(length);
  return result;
}

CsvReader::CsvReader(std::string_view text, char delimiter, char comment, size_t at)
    : text_(text), delimiter_(delimiter), comment_(comment), at_(at) {}

void CsvReader::skip_to_record() {
  while (at_ < text_.size() && is_end(text_[at_])) {
    if (comment_ && text_[at_] == comment_)
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    else
      ++at_;
  }
}

CsvField CsvReader::quoted_field() {
  CsvField field;
  field.at = at_;
  size_t from = at_ + 1;
  for (;;) {
    const size_t close = text_.find('"', from);
    if (close == std::string_view::npos) throw CsvError{at_, "a quote is opened and never closed"};
    if (close + 1 < text_.size() && text_[close + 1] == '"') {
      from = close + 2;
      continue;
    }
    field.text = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    if (at_ < text_.size() && text_[at_] != delimiter_ && !is_end(text_[at_]))
      throw CsvError{at_, "text after a closing quote"};
    return field;
  }
}

std::vector<CsvReader> CsvReader::divided(size_t count) const {
  std::vector<CsvReader> parts{*this};
  if (count < 2 || text_.find('"', at_) != std::string_view::npos) return parts;
  const size_t length = (text_.size() - at_) / count;
  for (size_t i = 1; i < count; ++i) {
    const size_t stop = text_.find('\n', std::max(at_ + i * length, parts.back().at_));
    if (stop == std::string_view::npos) break;
    parts.back().text_ = text_.substr(0, stop + 1);
    parts.push_back(*this);
    parts.back().at_ = stop + 1;
  }
  return parts;
}

/// The end of an unquoted field, found 16 characters at a time with GCC's vector extensions.
const char* CsvReader::field_end(const char* begin) const {
  using Letters = char __attribute__((vector_size(16)));
  const char* const last = text_.data() + text_.size();
  const char comment = comment_ ? comment_ : '\n';
  for (; last - begin >= static_cast<ptrdiff_t>(sizeof(Letters)); begin += sizeof(Letters)) {
    Letters letters;
    std::memcpy(&letters, begin, sizeof letters);
    const auto stops = (letters == delimiter_) | (letters == '\n') | (letters == '\r') |
                       (letters == '"') | (letters == comment);
    const auto [low, high] = std::bit_cast<std::array<uint64_t, 2>>(stops);
    if (low) return begin + std::countr_zero(low) / 8;
    if (high) return begin + 8 + std::countr_zero(high) / 8;
  }
  while (begin != last && *begin != delimiter_ && *begin != '"' && !is_end(*begin)) ++begin;
  return begin;
}

bool CsvReader::next(std::vector<CsvField>& fields) {
  fields.clear();
  skip_to_record();
  if (at_ >= text_.size()) return false;
  for (;;) {
    if (at_ < text_.size() && text_[at_] == '"') {
      fields.push_back(quoted_field());
    } else {
      const char* const begin = text_.data() + at_;
      const auto length = static_cast<size_t>(field_end(begin) - begin);
      fields.push_back({{begin, length}, at_});
      at_ += length;
      if (at_ < text_.size() && text_[at_] == '"')
        throw CsvError{at_, "a quote inside an unquoted field"};
    }
    if (at_ >= text_.size() || text_[at_] != delimiter_) return true;
    ++at_;
  }
}

}  // namespace tide
