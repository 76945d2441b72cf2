// Modules of PTX, ready to run.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "tests/cuda/fake/ptx/program.h"

namespace fake {

struct Parameter {
  std::string name;
  uint32_t offset, size;
};

struct Kernel {
  std::string name;
  std::vector<std::pair<uint64_t, uint64_t>> variables;  ///< address ranges of the module's
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t most_dynamic = 0;  ///< maximum dynamic shared memory, if set
  uint32_t shared_bytes = 0, local_bytes = 0;
  int max_threads = 1024;
  Program program;
};

class PtxModule {
 public:
  /// Throws PtxError.
  explicit PtxModule(std::string_view text);

  const Kernel* find(const std::string& name) const;
  int version() const { return version_; }  ///< 81 for 8.1
  int target() const { return target_; }    ///< 75 for sm_75

 private:
  friend class PtxParser;
  int version_ = 0, target_ = 0;
  std::map<std::string, Kernel> kernels_;
  std::vector<std::unique_ptr<uint8_t[]>> variables_;  ///< of the .global and .const spaces
};

}  // namespace fake
