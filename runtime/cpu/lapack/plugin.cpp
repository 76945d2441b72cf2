// The table of OpenBLAS's routines, set to one thread per call: the team splits stacks of matrices.
#include "runtime/cpu/lapack/plugin.h"

#include <type_traits>
#include <utility>

namespace {

using tide::LapackRoutines;

/// The type of the routine that a member of the table points to.
template <class T, auto kMember>
using Routine = std::remove_pointer_t<
    std::remove_cvref_t<decltype(std::declval<LapackRoutines<T>>().*kMember)>>;

}  // namespace

extern "C" {
void openblas_set_num_threads(int count);
#define TIDE_ROUTINE(name)                                 \
  Routine<float, &LapackRoutines<float>::name> s##name##_; \
  Routine<double, &LapackRoutines<double>::name> d##name##_;
TIDE_ROUTINE(getrf)
TIDE_ROUTINE(trsm)
TIDE_ROUTINE(potrf)
TIDE_ROUTINE(geqrf)
TIDE_ROUTINE(orgqr)
TIDE_ROUTINE(sytrf)
TIDE_ROUTINE(sytrs)
TIDE_ROUTINE(syevd)
TIDE_ROUTINE(gesdd)
#undef TIDE_ROUTINE

__attribute__((visibility("default"))) const tide::LapackPlugin* tide_lapack_plugin() {
  static const tide::LapackPlugin plugin = [] {
    openblas_set_num_threads(1);
    return tide::LapackPlugin{
        {sgetrf_, strsm_, spotrf_, sgeqrf_, sorgqr_, ssytrf_, ssytrs_, ssyevd_, sgesdd_},
        {dgetrf_, dtrsm_, dpotrf_, dgeqrf_, dorgqr_, dsytrf_, dsytrs_, dsyevd_, dgesdd_}};
  }();
  return &plugin;
}
}
