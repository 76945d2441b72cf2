#include "runtime/ir/compute_failure.h"

namespace tide {

std::string wrong_position(int64_t position, int64_t limit) {
  return "position " + std::to_string(position) + " is out of range: " +
         (position == 0 ? "positions start at 1" : "there are " + std::to_string(limit));
}

std::string unmet(Requirement requirement) {
  switch (requirement) {
    case Requirement::nonzero_divisor:
      return "integer division by zero";
    case Requirement::probability:
      return "a probability must be from 0 to 1";
    case Requirement::weights:
      return "weights must be finite and non-negative, with one above 0 in each row";
    case Requirement::enough_choices:
      return "there are fewer weights above 0 than draws without replacement";
    case Requirement::rate:
      return "a rate must be non-negative";
    case Requirement::variance:
      return "a variance must be non-negative";
    case Requirement::position:
      break;
  }
  return "";
}

std::string wrong_pivot(int64_t pivot, int64_t rows) {
  return "a pivot is " + std::to_string(pivot) + ": the matrix has " + std::to_string(rows) +
         " rows";
}

std::string matrix_name(int64_t index, int64_t count) {
  if (count == 1) return "the matrix";
  return "matrix " + std::to_string(index + 1) + " of the stack";
}

std::string singular_matrix(const std::string& matrix, int64_t pivot) {
  return matrix + " is singular: pivot " + std::to_string(pivot) + " is zero";
}

std::string indefinite_matrix(const std::string& matrix, int64_t size) {
  return matrix + " is not positive-definite: its leading part of size " + std::to_string(size) +
         " is not";
}

std::string not_finite(const std::string& matrix) { return matrix + " contains nan or infinity"; }

std::string not_converged(const std::string& matrix) {
  return matrix + ": the iteration did not converge";
}

}  // namespace tide
