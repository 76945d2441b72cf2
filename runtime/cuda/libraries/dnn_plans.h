// Plans of cuDNN: made once per problem, from engines that keep the rules of README.md.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/libraries/dnn_descriptor.h"
#include "runtime/cuda/libraries/tensor_cores.h"
#include "runtime/cuda/libraries/workspace.h"

namespace tide::cuda {

/// The numerical properties of an engine.
class DnnNotes {
 public:
  explicit DnnNotes(const DnnDescriptor& choice);
  bool has(dnn::Note note) const { return has_[note]; }
  /// Whether no op may use the engine: results differ between runs, partial sums are rounded, or a
  /// Fourier transform spreads a nan to all results.
  bool is_forbidden() const {
    return has(dnn::kNotDeterministic) || has(dnn::kReducedPrecisionSums) || has(dnn::kFft);
  }

 private:
  std::array<bool, dnn::kNotes> has_{};
};

/// The default workspace limit of an engine.
constexpr int64_t kMostDnnWorkspace = int64_t{256} << 20;

/// An op that cuDNN may run.
class DnnProblem {
 public:
  /// Reasons why Tensor Cores or cuDNN are not used; valid as long as the process.
  struct Words {
    const char *no_engine, *no_tensor_cores, *failed;
  };
  virtual ~DnnProblem() = default;
  /// Everything that the plan depends on.
  virtual const std::vector<int64_t>& key() const = 0;
  virtual DnnDescriptor graph(dnn::Handle handle) const = 0;
  virtual bool allows(const DnnNotes& notes) const = 0;
  virtual Words words() const = 0;
  /// Engines that need more bytes are skipped.
  virtual int64_t most_workspace() const { return kMostDnnWorkspace; }
  /// For the log.
  virtual std::string text() const = 0;
};

/// The arrays of a graph, by name. The array `temporary` is allocated for the run, with
/// `temporary_bytes`.
struct DnnMemory {
  std::span<const int64_t> names;
  std::span<const void* const> addresses;
  int64_t temporary = 0;
  size_t temporary_bytes = 0;
};

/// The plans of one device. Used by its queue's thread, with its context current.
class DnnPlans {
 public:
  /// `workspace` must outlive it.
  explicit DnnPlans(Workspace& workspace) : workspace_(workspace) {}
  DnnPlans(const DnnPlans&) = delete;

  /// Enqueues the problem if cuDNN is available and has an engine for it. `refusal`: a known reason
  /// why Tensor Cores are not used, or null.
  LibraryOutcome run(const DnnProblem& problem, const char* refusal, const DnnMemory& memory,
                     CudaStream stream);

 private:
  struct Plan {
    DnnDescriptor choice, plan;
    int64_t workspace_bytes = 0;
    bool possible = false;
    const char* refusal = nullptr;
  };
  bool open();
  Plan& plan(const DnnProblem& problem, const char* refusal);
  Plan make_plan(const DnnProblem& problem) const;
  std::optional<Plan> choose(const DnnProblem& problem, const DnnDescriptor& graph, int mode) const;
  void execute(const Plan& plan, const DnnMemory& memory, char* workspace, CudaStream stream) const;

  Workspace& workspace_;
  bool tried_ = false;
  dnn::Handle handle_ = nullptr;
  const char* unused_ = nullptr;  ///< why there is no handle
  std::map<std::vector<int64_t>, Plan> plans_;
};

}  // namespace tide::cuda
