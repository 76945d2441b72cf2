// Builds the error messages of the checks.
#include "runtime/ops/checks.h"

#include <algorithm>

#include "runtime/tensor/check_fits.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

std::string text_of(DType type) { return std::string(name_of(type)); }

/// "op: expected WHAT of ".
std::string expected(const char* op, const char* what) {
  return std::string(op) + ": expected " + (what ? std::string(what) + " of " : "");
}

/// "op: WHAT must be ".
std::string must_be(const char* op, const char* what) {
  return std::string(op) + ": " + what + " must be ";
}

}  // namespace

void throw_type(const char* op, const char* expected_types, DType type, const char* what) {
  throw DTypeError(expected(op, what) + expected_types + ", got " + text_of(type));
}

void throw_types_differ(const char* op, DType a, DType b) {
  throw DTypeError(std::string(op) + ": the types differ: " + text_of(a) + " and " + text_of(b) +
                   "; convert one with :to(\"" + text_of(is_floating(b) ? b : a) + "\")");
}

void throw_rank(const char* op, const Shape& shape, int least, int most, const char* what) {
  const std::string low = std::to_string(least), high = std::to_string(most);
  const std::string ranks = least == most      ? low
                            : most == kMaxDims ? "at least " + low
                            : least == 0       ? "at most " + high
                                               : low + " or " + high;
  throw ShapeError(expected(op, what) + ranks +
                   (ranks.ends_with(" 1") || ranks == "1" ? " dimension" : " dimensions") +
                   ", got " + shape.text());
}

void throw_shape(const char* op, const char* what, const Shape& shape, const Shape& expected_shape,
                 const Tensor* other) {
  throw ShapeError(expected(op, what) + "shape " + expected_shape.text() +
                   (other ? " for " + other->shape().text() : "") + ", got " + shape.text());
}

void throw_ranks_differ(const char* op, const Shape& a, const Shape& b) {
  throw ShapeError(std::string(op) + ": the numbers of dimensions differ: " + a.text() + " and " +
                   b.text());
}

void throw_no_elements(const char* op, const Shape& shape) {
  throw ShapeError(std::string(op) + ": there are no elements: " + shape.text());
}

void throw_kernel_too_large(const char* op, int64_t kernel, int64_t padded) {
  throw ShapeError(std::string(op) + ": the kernel of size " + std::to_string(kernel) +
                   " reaches beyond the padded input of size " + std::to_string(padded));
}

void check_distinct_dims(const char* op, int a, int b) {
  if (a == b)
    throw ShapeError(std::string(op) +
                     ": the two dimensions are the same: " + std::to_string(a + 1));
}

void check_one_or_each(const char* op, const char* what, int64_t count, int64_t dims) {
  if (count == 1 || count == dims) return;
  throw ShapeError(must_be(op, what) +
                   (dims == 1 ? "1 number" : "1 or " + std::to_string(dims) + " numbers") +
                   ", got " + std::to_string(count));
}

void check_same_count(const char* op, const char* what_a, int64_t a, const char* what_b,
                      int64_t b) {
  if (a != b)
    throw ShapeError(std::string(op) + ": expected as many " + what_a + " as " + what_b + ", got " +
                     std::to_string(a) + " and " + std::to_string(b));
}

void check_any_tensor(const char* op, const std::vector<Tensor>& tensors) {
  if (tensors.empty()) throw ShapeError(std::string(op) + ": expected at least one tensor");
}

void throw_too_small(const char* op, const char* what, int64_t number, int64_t least) {
  const std::string requirement = least == 0   ? "non-negative"
                                  : least == 1 ? "positive"
                                               : "at least " + std::to_string(least);
  throw ShapeError(must_be(op, what) + requirement + ", got " + std::to_string(number));
}

void check_amount(const char* op, const char* what, int64_t amount, int64_t least) {
  check_least(op, what, amount, least);
  if (amount > INT32_MAX)
    throw ShapeError(must_be(op, what) + "below 2^31, got " + std::to_string(amount));
}

void check_positive(const char* op, const char* what, double number) {
  if (!(number > 0)) throw Error(must_be(op, what) + "positive, got " + number_text(number));
}

void check_non_negative(const char* op, const char* what, double number) {
  if (!(number >= 0)) throw Error(must_be(op, what) + "non-negative, got " + number_text(number));
}

void check_between(const char* op, const char* what, double number, double least, double most) {
  if (!(number >= least && number <= most))
    throw Error(must_be(op, what) + "between " + number_text(least) + " and " + number_text(most) +
                ", got " + number_text(number));
}

int choose(const char* op, const char* what, const std::string& word,
           std::initializer_list<const char*> choices) {
  const auto* const found = std::find(choices.begin(), choices.end(), word);
  if (found != choices.end()) return static_cast<int>(found - choices.begin());
  std::string list;
  for (const auto* name = choices.begin(); name != choices.end(); ++name)
    list += (name == choices.begin()     ? "\""
             : name + 1 == choices.end() ? " or \""
                                         : ", \"") +
            std::string(*name) + "\"";
  throw Error(must_be(op, what) + list + ", got \"" + word + "\"");
}

}  // namespace tide
