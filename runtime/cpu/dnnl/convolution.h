// One oneDNN convolution, ready to run again and again.
#pragma once

#include <dnnl.hpp>
#include <memory>

#include "runtime/cpu/dnnl/plugin.h"
#include "runtime/cpu/scratch.h"

namespace tide {

/// Which of its three arrays a convolution computes from the other two.
enum class ConvolutionPass { forward, backward_input, backward_weight };

/// A primitive with the reorders to and from the layouts that it likes best. Not thread-safe.
class Convolution {
 public:
  Convolution(const ConvolutionShape& shape, ConvolutionPass pass, bool has_bias);

  /// first, second -> result: input, weight -> output; dy, weight -> dx; or dy, input -> dw.
  void run(const float* first, const float* second, const float* bias, float* result);

  /// The second operand in the layout that the primitive wants: where it is, or in memory of this
  /// thread that lasts until its next call. For use by several instances of one shape.
  const float* reordered_weight(const float* second);
  /// As run, with the second operand already in that layout.
  void run_reordered(const float* first, const float* second, const float* bias, float* result);

  /// The calling thread's own instance for these arguments, made at the first call with them. It
  /// computes on that thread alone.
  static Convolution& cached(const ConvolutionShape& shape, ConvolutionPass pass, bool has_bias);

 private:
  /// An array as the caller has it, and as the primitive wants it; the same if no reorder is
  /// needed.
  struct Operand {
    dnnl::memory plain, wanted;
    dnnl::reorder reorder;
    bool same = true;
  };
  Operand operand(const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted, bool result);
  template <class Description>
  void prepare(const Description& description, const dnnl::memory::desc& first,
               const dnnl::memory::desc& second, const dnnl::memory::desc& result);
  void execute(const float* first, const float* bias, float* result,
               std::initializer_list<Operand*> moved);

  dnnl::primitive primitive_;
  dnnl::memory scratchpad_, bias_;
  Operand first_, second_, result_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace tide
