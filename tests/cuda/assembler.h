// Runs NVIDIA's assembler, ptxas, on kernels: whether they assemble, and the registers and stack
// they need.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tide::test {

/// The resources of a kernel.
struct KernelProperties {
  std::string name;
  int registers = 0;  ///< per thread
  int stack = 0;      ///< bytes per thread
  int spilled = 0;    ///< bytes of spill stores and loads
};

/// The target of the PTX, and that of the assembler.
struct AssemblyTarget {
  const char *written, *assembled;
};
constexpr AssemblyTarget kTargets[] = {
    {"sm_75", "sm_75"}, {"sm_80", "sm_80"}, {"sm_90", "sm_90"}, {"sm_90", "sm_100"}};

/// The assembler's release, "13.0"; empty if TIDE_PTXAS is not set.
std::string assembler_release();

/// Whether to assemble every kernel for every target (TIDE_TEST_ALL, TIDE_WRITE_TABLE, or a folder
/// of results in TIDE_ASSEMBLED) instead of a fixed sample.
bool takes_all_kernels();

/// Assembles the PTX of any number of kernels. Throws std::runtime_error with the assembler's
/// output if one of them fails. Thread-safe.
std::vector<KernelProperties> assemble(const std::string& ptx, const std::string& target);

/// Assembles fused kernels, one text each. Results of earlier runs are read from `known_folder`,
/// and new ones are stored there, unless its name is empty.
std::vector<KernelProperties> assemble_fused(const std::vector<std::string>& kernels,
                                             const std::string& target,
                                             const std::string& known_folder);

/// Joins fused kernels, which all have the same name, into one text: the i-th is named kernel_<i>.
std::string joined(const std::vector<std::string>& kernels);

}  // namespace tide::test
