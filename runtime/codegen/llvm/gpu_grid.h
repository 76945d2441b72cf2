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
  GpuGrid(Frame& frame, const GpuForm& form) : frame_(frame), code_(frame.code), form_(form) {}

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

  /// Quotient and remainder of `item` by `divisor`; both are positive.
  std::pair<llvm::Value*, llvm::Value*> divide(llvm::Value* item, llvm::Value* divisor) {
    auto& builder = code_.builder;
    if (!form_.narrow)
      return {builder.CreateUDiv(item, divisor), builder.CreateURem(item, divisor)};
    llvm::Type* word = builder.getInt32Ty();
    llvm::Value* low = builder.CreateTrunc(item, word);
    llvm::Value* by = builder.CreateTrunc(divisor, word);
    llvm::Value* quotient = builder.CreateUDiv(low, by);
    llvm::Value* remainder = builder.CreateSub(low, builder.CreateMul(quotient, by));
    llvm::Type* wide = builder.getInt64Ty();
    return {builder.CreateZExt(quotient, wide), builder.CreateZExt(remainder, wide)};
  }

  /// The indices of point `item` of the first `rank` outer dimensions.
  std::vector<llvm::Value*> indices(llvm::Value* item, int rank) {
    std::vector<llvm::Value*> result(static_cast<size_t>(rank));
    for (int d = rank - 1; d > 0; --d)
      std::tie(item, result[static_cast<size_t>(d)]) = divide(item, frame_.extent(d));
    if (rank > 0) result[0] = item;
    return result;
  }

 private:
  Frame& frame_;
  Code& code_;
  const GpuForm form_;
};

}  // namespace tide::ir
