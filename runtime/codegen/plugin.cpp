// The compiler plugin tide-llvm.so: where it is, and opening it when it is needed.
#include "runtime/codegen/plugin.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "runtime/codegen/machine_code.h"
#include "runtime/os/plugin_path.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr const char* kPluginFile = "tide-llvm.so";
/// More than LLVM needs for a kernel. LLVM ends the process if it runs out of memory, so this much
/// is allocated and freed first.
constexpr size_t kHeadroom = 64u << 20;

/// The linker's build id, from the notes of an ELF file.
std::string build_id(int file) {
  const auto read_at = [file](void* to, size_t size, uint64_t offset) {
    return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  };
  Elf64_Ehdr header;
  if (!read_at(&header, sizeof header, 0) || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(segments.data(), segments.size() * sizeof(Elf64_Phdr), header.e_phoff)) return {};
  for (const Elf64_Phdr& segment : segments) {
    Elf64_Nhdr note;
    uint64_t offset = segment.p_offset;
    const uint64_t end = segment.p_offset + segment.p_filesz;
    while (segment.p_type == PT_NOTE && offset + sizeof note <= end &&
           read_at(&note, sizeof note, offset)) {
      const uint64_t text = offset + sizeof note + (note.n_namesz + 3) / 4 * 4;
      std::string id(note.n_descsz < 64 ? note.n_descsz : 0, '\0');
      if (note.n_type == NT_GNU_BUILD_ID && read_at(id.data(), id.size(), text)) return id;
      offset = text + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return {};
}

using Generate = decltype(&tide_generate_loop);

}  // namespace

const std::string& plugin_identity() {
  static const std::string identity = [] {
    const int file = open(plugin_path(kPluginFile).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::string();
    std::string id = build_id(file);
    close(file);
    return id;
  }();
  return identity;
}

namespace {

std::string call_plugin(const LoopProgram& program, const std::string& processor,
                        GeneratedForm form, const GpuForm& gpu) {
  static const auto function =
      reinterpret_cast<Generate>(plugin_entry(kPluginFile, "tide_generate_loop"));
  ::operator delete(::operator new(kHeadroom));
  std::string result;
  if (!function(program, processor.c_str(), form, gpu, result))
    throw InternalError("cannot compile a kernel: " + result);
  return result;
}

}  // namespace

std::string generate(const LoopProgram& program, GeneratedForm form) {
  return call_plugin(program, kernel_cpu(), form, {});
}

std::string generate_ptx(const LoopProgram& program, const std::string& architecture,
                         const GpuForm& form) {
  return call_plugin(program, architecture, GeneratedForm::assembly, form);
}

}  // namespace tide
