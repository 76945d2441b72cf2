// Selects between original and mutated code; included by each source with mutations.
#pragma once

#ifdef __CUDA_ARCH__

/// The fake driver sets this register to TIDE_MUTANT.
__device__ inline bool tide_mutant(int number) {
  int active;
  asm("mov.u32 %0, %%envreg0;" : "=r"(active));
  return active == number;
}

#else

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace tide_mutants {

constexpr int kMost = 100000;

/// The mutation selected by TIDE_MUTANT; 0: none.
inline int active() {
  static const int number = [] {
    const char* text = std::getenv("TIDE_MUTANT");
    return text ? std::atoi(text) : 0;
  }();
  return number;
}

/// The file for the numbers of executed mutations (TIDE_MUTANTS_MET).
inline int trace() {
  static const int file = [] {
    const char* path = std::getenv("TIDE_MUTANTS_MET");
    return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  }();
  return file;
}

inline void meet(int number) {
  static bool met[kMost];
  if (met[number]) return;
  met[number] = true;
  char line[16];
  const int size = std::snprintf(line, sizeof line, "%d\n", number);
  if (write(trace(), line, static_cast<size_t>(size)) != size) std::abort();
}

}  // namespace tide_mutants

/// Whether the mutation of this number is active.
inline bool tide_mutant(int number) {
  if (tide_mutants::trace() >= 0) tide_mutants::meet(number);
  return tide_mutants::active() == number;
}

#endif
