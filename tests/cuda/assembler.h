// NVIDIA's assembler, ptxas, as a witness: does it take a kernel, and what does it make of it?
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tide::test {

/// What a kernel needs on a device.
struct KernelProperties {
  std::string name;
  int registers = 0;  ///< of a thread
  int stack = 0;      ///< bytes of a thread
  int spilled = 0;    ///< bytes that are stored and loaded as there are no more registers
};

/// What PTX is written for, and what it is assembled for.
struct AssemblyTarget {
  const char *written, *assembled;
};
constexpr AssemblyTarget kTargets[] = {
    {"sm_75", "sm_75"}, {"sm_80", "sm_80"}, {"sm_90", "sm_90"}, {"sm_90", "sm_100"}};

/// The assembler's release, "13.0"; empty if there is none here (TIDE_PTXAS is not set).
std::string assembler_release();

/// Whether every kernel is to be assembled for every target (TIDE_TEST_ALL, TIDE_WRITE_TABLE, or a
/// folder of answers in TIDE_ASSEMBLED), not a fixed sample.
bool takes_all_kernels();

/// Assembles the PTX of any number of kernels. Throws std::runtime_error with the assembler's words
/// if it does not take one of them. Thread-safe.
std::vector<KernelProperties> assemble(const std::string& ptx, const std::string& target);

/// The same for fused kernels, each a text of its own. What is known of a text from an earlier run
/// is read from `known_folder`, and what is new is kept there, unless its name is empty.
std::vector<KernelProperties> assemble_fused(const std::vector<std::string>& kernels,
                                             const std::string& target,
                                             const std::string& known_folder);

/// Fused kernels, which all have the same name, as one text: the i-th is called kernel_<i>.
std::string joined(const std::vector<std::string>& kernels);

}  // namespace tide::test
