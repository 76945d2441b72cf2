// What compute ops find wrong with the numbers that they are given: the same words on every device.
#pragma once

#include <cstdint>
#include <string>

namespace tide {

/// A position that is not 1 to `limit`.
std::string wrong_position(int64_t position, int64_t limit);

/// What an op demands of every number that it is given. Attribute of the compute op `require`.
enum class Requirement : int64_t {
  nonzero_divisor,  ///< of a division of integers
  probability,      ///< from 0 to 1
  weights,          ///< finite, non-negative, and not all 0 in a row
  enough_choices,   ///< as many weights above 0 as draws without replacement
  rate,             ///< non-negative
  variance,         ///< non-negative
};

/// Of numbers that do not meet a requirement.
std::string unmet(Requirement requirement);

/// A row exchange that names no row.
std::string wrong_pivot(int64_t pivot, int64_t rows);

/// Which of `count` matrices is meant, `index` counting from 0: "the matrix", or "matrix 3 of the
/// stack".
std::string matrix_name(int64_t index, int64_t count);

/// Of a matrix, `matrix`, that has no inverse: its first pivot that is 0, from 1.
std::string singular_matrix(const std::string& matrix, int64_t pivot);

/// Of a matrix that has no Cholesky factor: the size of its first leading part that has none.
std::string indefinite_matrix(const std::string& matrix, int64_t size);

/// Of a matrix that no iteration can start from, and of one whose iteration did not end.
std::string not_finite(const std::string& matrix);
std::string not_converged(const std::string& matrix);

}  // namespace tide
