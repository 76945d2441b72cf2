// Rows of names that are not functions: operators, indexing, types.
#include "bindings/reference/notations.h"

namespace tide::bindings {
namespace {

constexpr Notation kNotations[] = {
    {"x + y", "Operators", "Elementwise, as tide.add; either operand may be a number",
     "tide.tensor{1, 2} + 10 --> {11, 12}"},
    {"x - y", "Operators", "Elementwise, as tide.sub", "10 - tide.tensor{1, 2} --> {9, 8}"},
    {"x * y", "Operators", "Elementwise, as tide.mul",
     "tide.tensor{1, 2} * tide.tensor{3, 4} --> {3, 8}"},
    {"x / y", "Operators", "Elementwise, as tide.div: integers yield float32",
     "tide.tensor{1, 2} / 2 --> {0.5, 1.0}"},
    {"x // y", "Operators", "Elementwise, as tide.floor_divide",
     "tide.tensor{-7, 7} // 2 --> {-4, 3}"},
    {"x % y", "Operators", "Elementwise, as tide.remainder", "tide.tensor{-7, 7} % 4 --> {1, 3}"},
    {"x ^ y", "Operators", "Elementwise, as tide.pow", "tide.tensor{2, 3} ^ 2 --> {4, 9}"},
    {"-x", "Operators", "Elementwise, as tide.neg", "-tide.tensor{1, 2} --> {-1, -2}"},
    {"x & y", "Operators", "Bitwise for integers, logical for bools, as tide.bitwise_and",
     "tide.tensor{6, 5} & 3 --> {2, 1}"},
    {"x | y", "Operators", "Bitwise for integers, logical for bools, as tide.bitwise_or",
     "tide.tensor{4, 5} | 3 --> {7, 7}"},
    {"x ~ y", "Operators", "Bitwise for integers, logical for bools, as tide.bitwise_xor",
     "tide.tensor{6, 5} ~ 3 --> {5, 6}"},
    {"~x", "Operators", "Bitwise for integers, logical for bools, as tide.bitwise_not",
     "~tide.tensor{true, false} --> {false, true}"},
    {"x << y", "Operators", "Integers times 2^y, as tide.bitwise_left_shift",
     "tide.tensor{1, 3} << 2 --> {4, 12}"},
    {"x >> y", "Operators", "Integers divided by 2^y, rounded down, as tide.bitwise_right_shift",
     "tide.tensor{8, -8} >> 2 --> {2, -2}"},
    {"x < y", "Operators",
     "Compares a zero-dimensional tensor with a number: reads the value, so it waits",
     "tide.tensor(5) < 6 --> true"},
    {"x <= y", "Operators", "Like x < y; elementwise comparisons are methods: x:le(y)",
     "tide.tensor(5) <= 5 --> true"},
    {"x == y", "Operators",
     "Whether both are the same tensor; to compare values: x:eq(y), x:equal(y)",
     "tide.ones(2) == tide.ones(2) --> false"},
    {"#x", "Operators", "The size of the first dimension", "#tide.ones(2, 3) --> 2"},
    {"x[i]", "Indexing", "The slice at an index from 1, negative ones from the end, as a view",
     "tide.tensor{{1, 2}, {3, 4}}[-1] --> {3, 4}"},
    {"x[{i, {a, b}}]", "Indexing",
     "One entry per dimension, as a view: an index, a range {a, b} or {a, b, step}, {} for all",
     "tide.tensor{{1, 2, 3}, {4, 5, 6}}[{2, {2, 3}}] --> {5, 6}"},
    {R"(x[{"...", i}])", "Indexing",
     R"("..." selects all remaining dimensions, "new" inserts a new one)",
     R"(tide.tensor{{1, 2}, {3, 4}}[{"...", 1}] --> {1, 3})"},
    {"x[mask]", "Indexing", "The elements where a bool tensor is true; waits",
     "local x = tide.tensor{1, 2, 3}; x[x:gt(1)] --> {2, 3}"},
    {"x[positions]", "Indexing", "The slices at the indices in an integer tensor",
     "tide.tensor{10, 20, 30}[tide.tensor{3, 1}] --> {30, 10}"},
    {"x[entries] = y", "Indexing",
     "Writes a number or a tensor, which broadcasts, to the selection",
     "local x = tide.zeros(2, 2); x[{{}, 1}] = 7; x --> {{7.0, 0.0}, {7.0, 0.0}}"},
    {"ipairs(x)", "Indexing", "Iterates over the first dimension",
     "local sum = 0; for i, part in ipairs(tide.tensor{1, 2}) do sum = sum + i end; sum --> 3"},
    {"tide.version", "Helpers", "The version of tide, as text: major, minor and patch number",
     R"(tide.version:match("^%d+%.%d+%.%d+$") == tide.version --> true)"},
};

}  // namespace

std::span<const Notation> notations() { return kNotations; }

std::vector<std::pair<std::string, DType>> type_names() {
  std::vector<std::pair<std::string, DType>> names;
  names.reserve(kDTypeCount + 6);
  for (int i = 0; i < kDTypeCount; ++i)
    names.emplace_back(name_of(static_cast<DType>(i)), static_cast<DType>(i));
  names.insert(names.end(), {{"float", DType::f32},
                             {"double", DType::f64},
                             {"half", DType::f16},
                             {"long", DType::i64},
                             {"int", DType::i32},
                             {"short", DType::i16}});
  return names;
}

}  // namespace tide::bindings
