#include "runtime/codegen/llvm/target.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>
#include <stdexcept>

namespace tide::ir {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";
constexpr const char* kGpuTriple = "nvptx64-nvidia-cuda";
/// Kernel parameters of more than 4 KB need this version of PTX, that of CUDA 12.1. It determines
/// the oldest driver in runtime/cuda/driver/driver.h.
constexpr const char* kGpuFeatures = "+ptx81";

void register_back_end() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// LLVM's loop strength reduction takes a third of the compile time, and more with many operands.
/// On the CPU it improves nothing: an address there is base + index * size, and the products that a
/// loop needs are computed before it.
void choose_passes(const llvm::Triple& triple) {
  llvm::cl::Option* option = llvm::cl::getRegisteredOptions().lookup("disable-lsr");
  if (!option) throw std::runtime_error("this LLVM has no option disable-lsr");
  static_cast<llvm::cl::opt<bool>*>(option)->setValue(triple.isX86());
}

}  // namespace

Machine::Machine(const std::string& name)
    : cpu(name),
      vector_bytes(16),
      avx2(name != "x86-64"),
      avx512(avx2 && name != "haswell" && !name.starts_with("sm_")),
      gpu(name.starts_with("sm_")),
      capability(gpu ? std::stoi(name.substr(3)) : 0),
      data_space(gpu ? 1 : 0) {
  if (avx2 && !gpu) vector_bytes = avx512 ? 64 : 32;
}

std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine) {
  register_back_end();
  std::string error;
  const char* triple = machine.gpu ? kGpuTriple : kTriple;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) throw std::runtime_error(error);
  llvm::TargetOptions options;
  // Operations round exactly where the program says so; the compiler must not fuse them.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, machine.gpu ? kGpuFeatures : "", options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
}

std::string emit(llvm::TargetMachine& target, llvm::Module& module, GeneratedForm form) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (form == GeneratedForm::ir) {
    module.print(stream, nullptr);
  } else {
    const auto type = form == GeneratedForm::assembly ? llvm::CodeGenFileType::AssemblyFile
                                                      : llvm::CodeGenFileType::ObjectFile;
    choose_passes(target.getTargetTriple());
    llvm::legacy::PassManager passes;
    if (target.addPassesToEmitFile(passes, stream, nullptr, type))
      throw std::runtime_error("LLVM cannot generate code for " + target.getTargetCPU().str());
    passes.run(module);
  }
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace tide::ir
