// Einstein's summation: operands are put in the order of their labels and multiplied in turn, by
// one matrix product for each pair that shares summed labels.
#include <algorithm>
#include <string>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// One label for each dimension: a letter, or, under an ellipsis, a digit counted from the right.
using Labels = std::string;

struct Labelled {
  Tensor tensor;
  Labels labels;
};

bool contains(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }

Error wrong(const std::string& what) { return Error("einsum: " + what); }

/// The subscripts of one operand without blanks and with "..." expanded to digits.
Labels spell_out(const std::string& subscripts, int rank) {
  Labels labels;
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts[i] == ' ') continue;
    if (subscripts.compare(i, 3, "...") == 0) {
      const auto letters = std::count_if(subscripts.begin(), subscripts.end(),
                                         [](char c) { return c != '.' && c != ' '; });
      for (int d = rank - static_cast<int>(letters); d > 0; --d)
        labels += static_cast<char>('0' + d - 1);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(subscripts[i]))) {
      labels += subscripts[i];
    } else {
      throw wrong("subscripts are letters and \"...\": " + subscripts);
    }
  }
  return labels;
}

/// x with each label once: repeated ones become a diagonal.
Labelled label(const Tensor& x, const std::string& subscripts) {
  Labelled result{x, spell_out(subscripts, x.rank())};
  if (static_cast<int>(result.labels.size()) != x.rank())
    throw ShapeError("einsum: the subscripts " + subscripts + " do not fit " + x.shape().text());
  for (size_t i = 0; i < result.labels.size(); ++i) {
    const size_t again = result.labels.find(result.labels[i], i + 1);
    if (again == Labels::npos) continue;
    if (result.tensor.shape()[static_cast<int>(i)] !=
        result.tensor.shape()[static_cast<int>(again)])
      throw ShapeError("einsum: the sizes of a repeated subscript differ: " + subscripts + " of " +
                       x.shape().text());
    const char repeated = result.labels[i];
    result.tensor =
        diagonal(result.tensor, 0, Dim{static_cast<int64_t>(i)}, Dim{static_cast<int64_t>(again)});
    result.labels.erase(again, 1);
    result.labels.erase(i, 1);
    result.labels += repeated;
    --i;
  }
  return result;
}

/// x with its dimensions in this order; labels that it lacks become dimensions of size 1.
Tensor arrange(const Labelled& x, const Labels& order) {
  Dims dims;
  for (char c : order)
    if (contains(x.labels, c)) dims.push_back(static_cast<int64_t>(x.labels.find(c)));
  Tensor y = permute(x.tensor, dims);
  for (size_t i = 0; i < order.size(); ++i)
    if (!contains(x.labels, order[i])) y = unsqueeze(y, Dim{static_cast<int64_t>(i)});
  return y;
}

/// x summed over the labels that are not in `output`; integers and bool give int64, as sums do.
/// Dimensions of size 1 do not count as a sum, unless x is the `only` operand.
Labelled sum_out(const Labelled& x, const Labels& output, bool only = false) {
  Labelled result{x.tensor, {}};
  Dims dims;
  bool sums = only;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (contains(output, x.labels[i])) {
      result.labels += x.labels[i];
    } else {
      dims.push_back(static_cast<int64_t>(i));
      sums = sums || x.tensor.shape()[static_cast<int>(i)] != 1;
    }
  }
  if (!dims.empty()) result.tensor = sums ? sum(x.tensor, dims) : squeeze(x.tensor, dims);
  return result;
}

int64_t size_of_label(const Labelled& x, char label) {
  return x.tensor.shape()[static_cast<int>(x.labels.find(label))];
}

/// x's dimensions in the order of three groups of labels, each group joined into one dimension.
/// Dimensions of size 1 are repeated up to the sizes of `other`.
Tensor join_groups(const Labelled& x, const Labelled& other, const Labels (&groups)[3]) {
  Labels order = groups[0] + groups[1] + groups[2];
  Tensor y = arrange(x, order);
  Shape shape = y.shape(), joined{1, 1, 1};
  int d = 0;
  for (int group = 0; group < 3; ++group) {
    for (char c : groups[group]) {
      if (contains(other.labels, c)) shape[d] = std::max(shape[d], size_of_label(other, c));
      joined[group] *= shape[d++];
    }
  }
  return reshape_to(broadcast_to(y, shape), joined);
}

/// The labels that x shares with `other` in the same size.
Labels shared(const Labelled& x, const Labelled& other) {
  Labels result;
  for (char c : x.labels)
    if (contains(other.labels, c) && size_of_label(x, c) == size_of_label(other, c)) result += c;
  return result;
}

/// The product of two operands, summed over the shared labels that are not in `output`.
Labelled multiply(const Labelled& left, const Labelled& right, const Labels& output) {
  const Labels together = output + shared(left, right);
  Labelled a = sum_out(left, together), b = sum_out(right, together);
  if (left.tensor.dtype() == right.tensor.dtype() && a.tensor.dtype() != b.tensor.dtype()) {
    // One of them has been summed.
    a.tensor = convert(a.tensor, DType::i64);
    b.tensor = convert(b.tensor, DType::i64);
  }
  Labels batch, summed, only_a, only_b;
  for (char c : a.labels) {
    if (!contains(b.labels, c))
      only_a += c;
    else
      (contains(output, c) ? batch : summed) += c;
  }
  for (char c : b.labels)
    if (!contains(a.labels, c)) only_b += c;
  const Labels order = batch + only_a + only_b;
  if (summed.empty()) return {mul(arrange(a, order), arrange(b, order)), order};

  Shape shape;
  for (char c : batch) shape.push_back(std::max(size_of_label(a, c), size_of_label(b, c)));
  for (char c : only_a) shape.push_back(size_of_label(a, c));
  for (char c : only_b) shape.push_back(size_of_label(b, c));
  const Tensor y = matmul(join_groups(a, b, {batch, only_a, summed}),
                          join_groups(b, a, {batch, summed, only_b}));
  return {reshape_to(y, shape), order};
}

/// Without "->" the result has the labels that occur once, in alphabetical order, after "...".
Labels implied_output(const std::vector<Labelled>& operands, const std::string& inputs) {
  Labels digits, letters;
  for (const Labelled& operand : operands) {
    for (char c : operand.labels) {
      const bool once = std::count(inputs.begin(), inputs.end(), c) == 1;
      if (std::isdigit(static_cast<unsigned char>(c)) && !contains(digits, c))
        digits += c;
      else if (once && !std::isdigit(static_cast<unsigned char>(c)))
        letters += c;
    }
  }
  std::sort(digits.rbegin(), digits.rend());
  std::sort(letters.begin(), letters.end());
  return digits + letters;
}

void check_sizes(const std::vector<Labelled>& operands) {
  for (const Labelled& a : operands)
    for (const Labelled& b : operands)
      for (char c : a.labels) {
        if (!contains(b.labels, c)) continue;
        const int64_t n = size_of_label(a, c), m = size_of_label(b, c);
        if (n != m && n != 1 && m != 1)
          throw ShapeError(std::string("einsum: the sizes of subscript ") + c +
                           " differ: " + std::to_string(n) + " and " + std::to_string(m));
      }
}

std::vector<Labelled> label_operands(const std::string& inputs,
                                     const std::vector<Tensor>& operands) {
  std::vector<Labelled> labelled;
  size_t begin = 0;
  for (const Tensor& operand : operands) {
    if (begin > inputs.size()) throw wrong("more operands than subscripts: " + inputs);
    const size_t end = std::min(inputs.find(',', begin), inputs.size());
    labelled.push_back(label(operand, inputs.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (begin <= inputs.size()) throw wrong("fewer operands than subscripts: " + inputs);
  return labelled;
}

Labels explicit_output(const std::string& subscripts, const std::vector<Labelled>& operands) {
  Labels digits, all;
  for (const Labelled& operand : operands) {
    all += operand.labels;
    for (char c : operand.labels)
      if (std::isdigit(static_cast<unsigned char>(c)) && !contains(digits, c)) digits += c;
  }
  const auto letters = std::count_if(subscripts.begin(), subscripts.end(),
                                     [](char c) { return c != '.' && c != ' '; });
  const Labels output =
      spell_out(subscripts, static_cast<int>(letters) + static_cast<int>(digits.size()));
  for (char c : output)
    if (!contains(all, c) || std::count(output.begin(), output.end(), c) > 1)
      throw wrong(std::string("the result's subscript ") + c +
                  " must occur in an operand, and once in the result");
  return output;
}

}  // namespace

Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  if (operands.empty()) throw wrong("there are no operands");
  const size_t arrow = equation.find("->");
  const std::string inputs = equation.substr(0, arrow);
  const std::vector<Labelled> labelled = label_operands(inputs, operands);
  check_sizes(labelled);
  const Labels output = arrow == std::string::npos
                            ? implied_output(labelled, inputs)
                            : explicit_output(equation.substr(arrow + 2), labelled);
  Labelled result = labelled[0];
  for (size_t i = 1; i < labelled.size(); ++i) {
    Labels needed = output;
    for (size_t later = i + 1; later < labelled.size(); ++later) needed += labelled[later].labels;
    result = multiply(result, labelled[i], needed);
  }
  result = sum_out(result, output, labelled.size() == 1);
  return arrange(result, output);
}

}  // namespace tide
