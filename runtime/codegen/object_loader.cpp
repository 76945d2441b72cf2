// Turns an object file in memory into code that can run.
#include "runtime/codegen/object_loader.h"

#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <optional>
#include <vector>

#include "runtime/ir/math/large_argument.h"

namespace tide {
namespace {

constexpr size_t kPage = 4096;

size_t align_up(size_t value, size_t alignment) {
  return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes) {}
  ~Object() {
    if (memory_) munmap(memory_, memory_size_);
  }

  LoopKernel load() {
    if (!read_sections() || !copy_sections() || !relocate()) return nullptr;
    const auto kernel = find_kernel();
    if (!kernel || mprotect(memory_, memory_size_, PROT_READ | PROT_EXEC) != 0) return nullptr;
    memory_ = nullptr;
    return reinterpret_cast<LoopKernel>(*kernel);
  }

 private:
  /// `count` structures at `offset` of the file, or null if they are out of bounds.
  template <class T>
  const T* at(size_t offset, size_t count = 1) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  bool read_sections() {
    const auto* header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header->e_type != ET_REL || header->e_machine != EM_X86_64) return false;
    const auto* sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (!sections) return false;
    sections_.assign(sections, sections + header->e_shnum);
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type != SHT_NOBITS && !at<char>(section.sh_offset, section.sh_size))
        return false;
    return true;
  }

  /// Copies all sections needed at run time to consecutive addresses.
  bool copy_sections() {
    size_t size = 0;
    offsets_.assign(sections_.size(), SIZE_MAX);
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (!(section.sh_flags & SHF_ALLOC)) continue;
      if (section.sh_addralign > kPage) return false;
      offsets_[i] = align_up(size, section.sh_addralign);
      size = offsets_[i] + section.sh_size;
    }
    memory_size_ = align_up(size, kPage);
    if (memory_size_ == 0) return false;
    void* memory =
        mmap(nullptr, memory_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = static_cast<char*>(memory);
    for (size_t i = 0; i < sections_.size(); ++i)
      if (offsets_[i] != SIZE_MAX && sections_[i].sh_type != SHT_NOBITS)
        std::memcpy(memory_ + offsets_[i], bytes_.data() + sections_[i].sh_offset,
                    sections_[i].sh_size);
    return true;
  }

  /// The string at `offset` of a string table, or nothing if it is not terminated there.
  std::string_view name_in(const Elf64_Shdr& names, size_t offset) const {
    if (offset >= names.sh_size) return {};
    const std::string_view tail = bytes_.substr(names.sh_offset + offset, names.sh_size - offset);
    const size_t end = tail.find('\0');
    return end == std::string_view::npos ? std::string_view() : tail.substr(0, end);
  }

  std::optional<uint64_t> address_of(const Elf64_Sym& symbol, const Elf64_Shdr& names) const {
    if (symbol.st_shndx == SHN_UNDEF) {
      if (name_in(names, symbol.st_name) != kReduceLargeArguments) return {};
      return reinterpret_cast<uint64_t>(&reduce_large_arguments);
    }
    if (symbol.st_shndx >= sections_.size() || offsets_[symbol.st_shndx] == SIZE_MAX) return {};
    if (symbol.st_value > sections_[symbol.st_shndx].sh_size) return {};
    return reinterpret_cast<uint64_t>(memory_) + offsets_[symbol.st_shndx] + symbol.st_value;
  }

  bool relocate() {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_REL) return false;
      if (section.sh_type != SHT_RELA || section.sh_info >= sections_.size()) continue;
      if (offsets_[section.sh_info] != SIZE_MAX && !relocate_section(section)) return false;
    }
    return true;
  }

  bool relocate_section(const Elf64_Shdr& section) {
    if (section.sh_link >= sections_.size()) return false;
    const Elf64_Shdr& table = sections_[section.sh_link];
    if (table.sh_link >= sections_.size()) return false;
    const Elf64_Shdr& names = sections_[table.sh_link];
    const size_t symbol_count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = at<Elf64_Sym>(table.sh_offset, symbol_count);
    const size_t count = section.sh_size / sizeof(Elf64_Rela);
    const auto* entries = at<Elf64_Rela>(section.sh_offset, count);
    for (size_t i = 0; i < count; ++i) {
      if (ELF64_R_SYM(entries[i].r_info) >= symbol_count) return false;
      const auto target = address_of(symbols[ELF64_R_SYM(entries[i].r_info)], names);
      if (!target || !apply(section.sh_info, entries[i], *target)) return false;
    }
    return true;
  }

  bool apply(size_t section, const Elf64_Rela& entry, uint64_t target) {
    const uint32_t type = ELF64_R_TYPE(entry.r_info);
    const bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
    const size_t width = wide ? 8 : 4;
    const size_t size = sections_[section].sh_size;
    if (size < width || entry.r_offset > size - width) return false;
    char* location = memory_ + offsets_[section] + entry.r_offset;
    uint64_t value = target + static_cast<uint64_t>(entry.r_addend);
    if (type != R_X86_64_64) value -= reinterpret_cast<uint64_t>(location);
    const bool relative = type == R_X86_64_PC32 || type == R_X86_64_PLT32;
    if (!wide && !relative) return false;
    std::memcpy(location, &value, width);
    return true;
  }

  std::optional<uint64_t> find_kernel() const {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
      const size_t count = table.sh_size / sizeof(Elf64_Sym);
      const auto* symbols = at<Elf64_Sym>(table.sh_offset, count);
      const Elf64_Shdr& names = sections_[table.sh_link];
      for (size_t i = 0; i < count; ++i)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
            name_in(names, symbols[i].st_name) == "kernel")
          return address_of(symbols[i], names);
    }
    return {};
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<size_t> offsets_;  ///< of each section in memory_; SIZE_MAX: not loaded
  char* memory_ = nullptr;
  size_t memory_size_ = 0;
};

}  // namespace

LoopKernel load_object(std::string_view object) { return Object(object).load(); }

}  // namespace tide
