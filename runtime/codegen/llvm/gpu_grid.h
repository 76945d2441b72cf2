// The threads of a GPU launch, and the units that they process.
#pragma once

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <tuple>
#include <utility>
#include <vector>

#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/frame.h"

namespace tide::ir {

class GpuGrid {
 public:
  explicit GpuGrid(Frame& frame) : frame_(frame), code_(frame.code) {}

  llvm::Value* thread() { return frame_.read_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }
  llvm::Value* block() {
    return frame_.block ? frame_.block
                        : frame_.read_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  }
  llvm::Value* blocks() {
    return frame_.blocks ? frame_.blocks
                         : frame_.read_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  }
  llvm::Value* block_threads() {
    return frame_.read_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  }

  void barrier() { code_.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

  /// The indices of point `item` of the first `rank` outer dimensions.
  std::vector<llvm::Value*> indices(llvm::Value* item, int rank) {
    std::vector<llvm::Value*> result(static_cast<size_t>(rank));
    for (int d = rank - 1; d > 0; --d)
      std::tie(item, result[static_cast<size_t>(d)]) = frame_.divide(item, frame_.extent(d));
    if (rank > 0) result[0] = item;
    return result;
  }

 private:
  Frame& frame_;
  Code& code_;
};

}  // namespace tide::ir
