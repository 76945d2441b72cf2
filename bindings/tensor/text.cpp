// How print shows a tensor: values laid out as PyTorch does, then shape, type and device.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bindings/tensor/methods.h"
#include "runtime/ops/autograd.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/record.h"
#include "runtime/ops/shape_ops.h"

namespace tide::bindings {
namespace {

constexpr int64_t kSummarizeAbove = 1000;
constexpr int64_t kEdge = 3;
constexpr size_t kLineWidth = 80;
constexpr char kOpening[] = "tensor(";

/// x, or where a dimension is long its first and last places only.
Tensor edges(Tensor x) {
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t size = x.shape()[d];
    if (size <= 2 * kEdge) continue;
    std::vector<int64_t> places;
    for (int64_t i = 1; i <= kEdge; ++i) places.push_back(i);
    for (int64_t i = size - kEdge + 1; i <= size; ++i) places.push_back(i);
    x = index_select(x, Dim{d},
                     record_constant(places.data(), {2 * kEdge}, DType::i64, x.device()));
  }
  return x;
}

/// Turns numbers into text of one width.
class NumberFormat {
 public:
  explicit NumberFormat(const HostValues& values) : values_(values) {
    choose_style();
    for (int64_t i = 0; i < values.count(); ++i) width_ = std::max(width_, plain(i).size());
  }

  /// Element i, padded on the left.
  std::string text(int64_t i) const {
    std::string number = plain(i);
    number.insert(0, width_ - number.size(), ' ');
    return number;
  }
  size_t width() const { return width_; }

 private:
  enum class Style { integral, fixed, scientific };

  void choose_style() {
    double largest = 0, smallest = INFINITY;
    bool integral = true;
    for (int64_t i = 0; i < values_.count(); ++i) {
      const double magnitude = std::abs(values_.real_at(i));
      if (!std::isfinite(magnitude)) continue;
      integral = integral && magnitude == std::ceil(magnitude);
      largest = std::max(largest, magnitude);
      if (magnitude > 0) smallest = std::min(smallest, magnitude);
    }
    if (integral)
      style_ = largest > 1e8 ? Style::scientific : Style::integral;
    else
      style_ = largest > 1e8 || smallest < 1e-4 || largest / smallest > 1e3 ? Style::scientific
                                                                            : Style::fixed;
  }

  std::string plain(int64_t i) const {
    if (values_.type() == DType::boolean) return values_.boolean_at(i) ? "true" : "false";
    if (is_integer(values_.type())) return std::to_string(values_.integer_at(i));
    const double value = values_.real_at(i);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    const char* format = style_ == Style::integral ? "%.0f."
                         : style_ == Style::fixed  ? "%.4f"
                                                   : "%.4e";
    char text[64];
    snprintf(text, sizeof text, format, value);
    return text;
  }

  const HostValues& values_;
  Style style_ = Style::integral;
  size_t width_ = 0;
};

/// Writes nested lists.
class Layouter {
 public:
  Layouter(const NumberFormat& numbers, const Shape& shown, bool summarized, const Shape& full)
      : numbers_(numbers), shape_(shown), full_(full), summarized_(summarized) {}

  std::string text() {
    write(0, sizeof kOpening - 1);
    return std::move(text_);
  }

 private:
  bool cut(int dim) const { return summarized_ && full_[dim] > 2 * kEdge; }

  void write(int dim, size_t indent) {
    if (dim == shape_.rank()) {
      text_ += numbers_.text(next_++);
    } else if (dim == shape_.rank() - 1) {
      write_row(dim, indent + 1);
    } else {
      text_ += '[';
      for (int64_t i = 0; i < shape_[dim]; ++i) {
        if (i > 0) new_part(dim, indent + 1);
        if (i == kEdge && cut(dim)) {
          text_ += "...";
          new_part(dim, indent + 1);
        }
        write(dim + 1, indent + 1);
      }
      text_ += ']';
    }
  }

  /// Between two parts along `dim`: as many line ends as there are dimensions below.
  void new_part(int dim, size_t indent) {
    text_ += ',';
    text_.append(shape_.rank() - 1 - dim, '\n');
    text_.append(indent, ' ');
  }

  void write_row(int dim, size_t indent) {
    const size_t fits = std::max<size_t>(
        1, (kLineWidth - std::min(indent, kLineWidth / 2)) / (numbers_.width() + 2));
    size_t on_line = 0;
    text_ += '[';
    const auto separate = [&] {
      text_ += ',';
      if (++on_line == fits) {
        text_ += '\n';
        text_.append(indent, ' ');
        on_line = 0;
      } else {
        text_ += ' ';
      }
    };
    for (int64_t i = 0; i < shape_[dim]; ++i) {
      if (i > 0) separate();
      if (i == kEdge && cut(dim)) {
        text_ += "...";
        separate();
      }
      text_ += numbers_.text(next_++);
    }
    text_ += ']';
  }

  const NumberFormat& numbers_;
  const Shape shape_, full_;
  const bool summarized_;
  int64_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string tensor_text(const Tensor& x) {
  const GradientMode no_gradients(false);
  const bool summarized = x.numel() > kSummarizeAbove;
  const Tensor shown = summarized ? edges(x) : x;
  const HostValues values(shown, "print");
  std::string text = kOpening;
  text += x.numel() == 0
              ? "[]"
              : Layouter(NumberFormat(values), shown.shape(), summarized, x.shape()).text();
  text += ") " + x.shape().text() + " " + std::string(name_of(x.dtype())) + " " + x.device().name();
  if (x.requires_grad()) text += " requires_grad";
  return text;
}

}  // namespace tide::bindings
