// A oneDNN convolution that can run repeatedly.
#pragma once

#include <dnnl.hpp>
#include <memory>
#include <vector>

#include "runtime/cpu/dnnl/plugin.h"
#include "runtime/cpu/workspace.h"

namespace tide {

/// Which of its three arrays a convolution computes from the other two.
enum class ConvolutionPass { forward, backward_input, backward_weight };

/// A primitive with the reorders to and from its preferred layouts. Not thread-safe.
class Convolution {
 public:
  Convolution(const ConvolutionShape& shape, ConvolutionPass pass, bool has_bias);

  /// first, second -> result: input, weight -> output; dy, weight -> dx; or dy, input -> dw.
  void run(const float* first, const float* second, const float* bias, float* result);

  /// The second operand in the primitive's preferred layout: in place, or in memory of this thread
  /// that is valid until its next call. Several instances of one shape may use it.
  const float* reordered_weight(const float* second);
  /// The number of floats of the second operand in that layout; 0: it is that of the caller.
  int64_t reordered_size() const;
  void reorder_weight(const float* second, float* to);
  const dnnl::memory::desc& weight_layout() const { return second_.layout; }
  /// Like run, with the second operand already in that layout.
  void run_reordered(const float* first, const float* second, const float* bias, float* result);

  /// The calling thread's own instance for these arguments, created by the first call with them. It
  /// computes on that thread only.
  static Convolution& cached(const ConvolutionShape& shape, ConvolutionPass pass, bool has_bias);

 private:
  /// An array in the caller's layout, and in the primitive's; the same if no reorder is needed.
  struct Operand {
    dnnl::memory given, preferred;
    dnnl::memory::desc layout;  ///< of `preferred`
    size_t bytes = 0;           ///< of `preferred`, in whole cache lines
    dnnl::reorder reorder;
    bool same = true;
  };
  Operand operand(const dnnl::memory::desc& given, const dnnl::memory::desc& preferred,
                  bool result);
  template <class Description>
  void prepare(const Description& description, const dnnl::memory::desc& first,
               const dnnl::memory::desc& second, const dnnl::memory::desc& result);
  void execute(const float* first, const float* bias, float* result,
               std::initializer_list<Operand*> moved);

  dnnl::primitive primitive_;
  dnnl::memory scratchpad_, bias_;
  size_t scratchpad_bytes_ = 0;
  Operand first_, second_, result_;
  std::vector<dnnl_exec_arg_t> arguments_;  ///< of the C interface: nothing is allocated in a run
};

}  // namespace tide
