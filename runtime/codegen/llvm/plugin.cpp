// The plugin's only entry: a loop program in, machine code out.
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <exception>
#include <mutex>
#include <stdexcept>

#include "runtime/codegen/llvm/frame.h"
#include "runtime/codegen/llvm/kernels.h"
#include "runtime/codegen/llvm/target.h"
#include "runtime/codegen/plugin_interface.h"

namespace tide::ir {
namespace {

llvm::Function* make_function(llvm::Module& module, const Machine& machine) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // Without these, processors that slow down a little for wide registers get narrow ones.
  const std::string bits = std::to_string(8 * machine.vector_bytes);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  return function;
}

void emit_kernel(Frame& frame) {
  const LoopProgram& program = frame.program;
  if (!program.has_row)
    emit_map_kernel(frame);
  else if (program.orientation == Orientation::row)
    emit_row_kernel(frame);
  else
    emit_column_kernel(frame);
  bool streaming = false;
  for (const LoopOperand& operand : program.operands) streaming = streaming || operand.streaming;
  // Streaming stores become visible in order with others only behind a fence.
  if (streaming) frame.code.builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  frame.code.finish();
}

std::string compile(const LoopProgram& program, const std::string& cpu, GeneratedForm form) {
  static std::mutex mutex;
  static std::unique_ptr<llvm::TargetMachine> target;
  const std::lock_guard lock(mutex);
  const Machine machine(cpu);
  if (!target || target->getTargetCPU() != cpu) target = make_target(machine);
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setDataLayout(target->createDataLayout());
  module.setTargetTriple(target->getTargetTriple().str());
  Frame frame(*make_function(module, machine), program, machine);
  emit_kernel(frame);
  return emit(*target, module, form);
}

}  // namespace
}  // namespace tide::ir

bool tide_generate_loop(const tide::LoopProgram& program, const char* cpu, tide::GeneratedForm form,
                        std::string& result) {
  try {
    result = tide::ir::compile(program, cpu, form);
    return true;
  } catch (const std::exception& error) {
    result = error.what();
    return false;
  }
}
