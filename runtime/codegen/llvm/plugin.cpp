#include "runtime/codegen/llvm/plugin.h"

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

namespace tide::ir {
namespace {

llvm::Function* make_gpu_function(llvm::Module& module, const LoopProgram& program,
                                  const GpuForm& form) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  const size_t count =
      form.table == GpuTable::none ? gpu_words(program) : GpuTableLayout(program, form.table).words;
  auto* words = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), count);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addParamAttr(0, llvm::Attribute::getWithByValType(context, words));
  function->addParamAttr(0, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
  // The block size determines how many registers a thread may have.
  const auto note = [&](const char* name, int value) {
    llvm::Metadata* const parts[] = {
        llvm::ValueAsMetadata::get(function), llvm::MDString::get(context, name),
        llvm::ConstantAsMetadata::get(
            llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<uint64_t>(value)))};
    module.getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(llvm::MDNode::get(context, parts));
  };
  note("maxntidx", gpu_block(program, form).threads);
  if (form.staged) note("minctasm", kStagedBlocks);
  return function;
}

llvm::Function* make_function(llvm::Module& module, const LoopProgram& program,
                              const Machine& machine, const GpuForm& gpu) {
  if (machine.gpu) return make_gpu_function(module, program, gpu);
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // Without these, LLVM uses narrow registers on processors that slow down a little for wide ones.
  const std::string bits = std::to_string(8 * machine.vector_bytes);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  return function;
}

void emit_kernel(Frame& frame, const GpuForm& gpu) {
  const LoopProgram& program = frame.program;
  if (frame.machine.gpu)
    program.has_row ? emit_gpu_rows(frame, gpu) : emit_gpu_map(frame, gpu);
  else if (!program.has_row)
    emit_map_kernel(frame);
  else if (program.orientation == Orientation::row)
    emit_row_kernel(frame);
  else
    emit_column_kernel(frame);
  bool streaming = false;
  for (const LoopOperand& operand : program.operands) streaming = streaming || operand.streaming;
  // Streaming stores are ordered with other stores only by a fence.
  if (streaming && !frame.machine.gpu)
    frame.code.builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  frame.code.finish();
}

std::string compile(const LoopProgram& program, const std::string& cpu, GeneratedForm form,
                    const GpuForm& gpu) {
  static std::mutex mutex;
  static std::unique_ptr<llvm::TargetMachine> target;
  const std::lock_guard lock(mutex);
  const Machine machine(cpu);
  if (!target || target->getTargetCPU() != cpu) target = make_target(machine);
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setDataLayout(target->createDataLayout());
  module.setTargetTriple(target->getTargetTriple().str());
  Frame frame(*make_function(module, program, machine, gpu), program, machine, gpu);
  emit_kernel(frame, gpu);
  return emit(*target, module, form);
}

}  // namespace
}  // namespace tide::ir

bool tide_generate_loop(const tide::LoopProgram& program, const char* cpu, tide::GeneratedForm form,
                        const tide::GpuForm& gpu, std::string& result) {
  try {
    result = tide::ir::compile(program, cpu, form, gpu);
    return true;
  } catch (const std::exception& error) {
    result = error.what();
    return false;
  }
}
