// The text of a tensor: values formatted as in PyTorch, then shape, type and device.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

/// The options of tide.set_printoptions for this thread.
struct PrintOptions {
  int64_t precision = 4;           ///< digits after the decimal point
  int64_t threshold = 1000;        ///< tensors with more elements are summarized
  int64_t edge_items = 3;          ///< shown at each end of a summarized dimension
  int64_t line_width = 80;         ///< characters
  std::optional<bool> scientific;  ///< none: depends on the numbers
};

PrintOptions& print_options() {
  static thread_local PrintOptions options;
  return options;
}

constexpr char kOpening[] = "tensor(";

/// x, or only the first and last elements of long dimensions.
Tensor edges(Tensor x) {
  const int64_t edge = print_options().edge_items;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t size = x.shape()[d];
    if (size <= 2 * edge) continue;
    std::vector<int64_t> places;
    for (int64_t i = 1; i <= edge; ++i) places.push_back(i);
    for (int64_t i = size - edge + 1; i <= size; ++i) places.push_back(i);
    x = index_select(x, Dim{d}, record_constant(places.data(), {2 * edge}, DType::i64, x.device()));
  }
  return x;
}

/// Formats numbers with a common width.
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
    if (const auto scientific = print_options().scientific)
      style_ = *scientific ? Style::scientific : integral ? Style::integral : Style::fixed;
    else if (integral)
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
    char text[512];  // fits the largest number with all its digits
    const auto format =
        style_ == Style::scientific ? std::chars_format::scientific : std::chars_format::fixed;
    const int precision =
        style_ == Style::integral ? 0 : static_cast<int>(print_options().precision);
    const auto end = std::to_chars(text, text + sizeof text, value, format, precision).ptr;
    return std::string(text, end) + (style_ == Style::integral ? "." : "");
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
  bool cut(int dim) const { return summarized_ && full_[dim] > 2 * edge_; }

  void write(int dim, size_t indent) {
    if (dim == shape_.rank()) {
      text_ += numbers_.text(next_++);
    } else if (dim == shape_.rank() - 1) {
      write_row(dim, indent + 1);
    } else {
      text_ += '[';
      for (int64_t i = 0; i < shape_[dim]; ++i) {
        if (i > 0) new_part(dim, indent + 1);
        if (i == edge_ && cut(dim)) {
          text_ += "...";
          new_part(dim, indent + 1);
        }
        write(dim + 1, indent + 1);
      }
      text_ += ']';
    }
  }

  /// Separates two parts along `dim` with one newline per inner dimension.
  void new_part(int dim, size_t indent) {
    text_ += ',';
    text_.append(shape_.rank() - 1 - dim, '\n');
    text_.append(indent, ' ');
  }

  void write_row(int dim, size_t indent) {
    const size_t fits = std::max<size_t>(
        1, (line_width_ - std::min(indent, line_width_ / 2)) / (numbers_.width() + 2));
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
      if (i == edge_ && cut(dim)) {
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
  const int64_t edge_ = print_options().edge_items;
  const size_t line_width_ = static_cast<size_t>(print_options().line_width);
  int64_t next_ = 0;
  std::string text_;
};

/// The options of PyTorch's profiles.
PrintOptions profile_named(const std::string& name) {
  PrintOptions options;
  if (name == "short") {
    options.precision = 2;
    options.edge_items = 2;
  } else if (name == "full") {
    options.threshold = INT64_MAX;
  } else if (name != "default") {
    throw ArgumentError("set_printoptions: the profile must be default, short or full, got " +
                        name);
  }
  return options;
}

/// Sets an option to an integer between bounds, if it was given; infinity is the upper bound.
void set_option(int64_t& option, std::optional<double> given, const char* name, int64_t least,
                int64_t most) {
  if (!given) return;
  if (!(*given >= static_cast<double>(least)) || (*given != std::floor(*given)))
    throw ArgumentError("set_printoptions: " + std::string(name) + ": expected an integer from " +
                        std::to_string(least) + " on");
  option = *given < static_cast<double>(most) ? static_cast<int64_t>(*given) : most;
}

void set_printoptions(std::optional<double> precision, std::optional<double> threshold,
                      std::optional<double> edgeitems, std::optional<double> linewidth,
                      std::optional<bool> sci_mode, const std::optional<std::string>& profile) {
  PrintOptions options = profile ? profile_named(*profile) : print_options();
  set_option(options.precision, precision, "precision", 0, 100);
  set_option(options.threshold, threshold, "threshold", 0, INT64_MAX);
  set_option(options.edge_items, edgeitems, "edgeitems", 1, 1 << 20);
  set_option(options.line_width, linewidth, "linewidth", 1, 1 << 20);
  if (sci_mode) options.scientific = sci_mode;
  print_options() = options;
}

constexpr Function kTextFunctions[] = {
    typed_function<set_printoptions, "set_printoptions",
                   "{precision, threshold, edgeitems, linewidth, sci_mode, profile}">(
        "How tensors are printed; the profile is default, short or full",
        "tide.set_printoptions({precision = 2}); local text = tostring(tide.tensor(math.pi)); "
        "tide.set_printoptions({profile = \"default\"}); text --> \"tensor(3.14) () float32 cpu\""),
};

}  // namespace

std::span<const Function> text_functions() { return kTextFunctions; }

std::string tensor_text(const Tensor& x) {
  const GradientMode no_gradients(false);
  const bool summarized = x.numel() > print_options().threshold;
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
