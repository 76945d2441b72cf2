// Error messages of compute ops about their values: the same text on every device.
#pragma once

#include <cstdint>
#include <string>

namespace tide {

/// For a position outside 1 to `limit`.
std::string wrong_position(int64_t position, int64_t limit);

/// What an op requires of all its values. Attribute of the compute op `require`.
enum class Requirement : int64_t {
  nonzero_divisor,  ///< of an integer division
  probability,      ///< from 0 to 1
  weights,          ///< finite, non-negative, and not all 0 in a row
  enough_choices,   ///< at least as many positive weights as draws without replacement
  rate,             ///< non-negative
  variance,         ///< non-negative
  position,         ///< from 1 to a limit; wrong_position is the message
};

/// The message for values that do not meet a requirement.
std::string unmet(Requirement requirement);

/// For a row exchange with an invalid row.
std::string wrong_pivot(int64_t pivot, int64_t rows);

/// Names one of `count` matrices, `index` counting from 0: "the matrix", or "matrix 3 of the
/// stack".
std::string matrix_name(int64_t index, int64_t count);

/// For a matrix without an inverse: `pivot` is its first zero pivot, from 1.
std::string singular_matrix(const std::string& matrix, int64_t pivot);

/// For a matrix without a Cholesky factor: `size` is that of its first leading part without one.
std::string indefinite_matrix(const std::string& matrix, int64_t size);

/// For a matrix with non-finite elements, and for one whose iteration did not converge.
std::string not_finite(const std::string& matrix);
std::string not_converged(const std::string& matrix);

}  // namespace tide
