// What the OpenBLAS plugin exports: the LAPACK and BLAS routines for decompositions. It is a
// separate library so that programs without them do not load OpenBLAS (35 MB).
#pragma once

#include <cstddef>

namespace tide {

/// Routines with their original names and arguments, for one type. Arrays are column-major; the
/// lengths of all strings (1) come last. Thread-safe, one thread per call.
template <class T>
struct LapackRoutines {
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*trsm)(const char* side, const char* triangle, const char* transposed, const char* diagonal,
               const int* m, const int* n, const T* alpha, const T* a, const int* lda, T* b,
               const int* ldb, size_t, size_t, size_t, size_t);
  void (*potrf)(const char* triangle, const int* n, T* a, const int* lda, int* info, size_t);
  void (*geqrf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work,
                const int* work_size, int* info);
  void (*orgqr)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau,
                T* work, const int* work_size, int* info);
  void (*sytrf)(const char* triangle, const int* n, T* a, const int* lda, int* pivots, T* work,
                const int* work_size, int* info, size_t);
  void (*sytrs)(const char* triangle, const int* n, const int* columns, const T* a, const int* lda,
                const int* pivots, T* b, const int* ldb, int* info, size_t);
  void (*syevd)(const char* job, const char* triangle, const int* n, T* a, const int* lda,
                T* values, T* work, const int* work_size, int* integers, const int* integers_size,
                int* info, size_t, size_t);
  void (*gesdd)(const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u,
                const int* ldu, T* vt, const int* ldvt, T* work, const int* work_size,
                int* integers, int* info, size_t);
};

struct LapackPlugin {
  LapackRoutines<float> single_precision;
  LapackRoutines<double> double_precision;
};

/// The plugin, opened at the first call. Throws InternalError, with instructions, if it is missing.
const LapackPlugin& lapack_plugin();

}  // namespace tide
