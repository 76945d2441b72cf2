// Kernels on disk: found again, and harmless whatever has happened to them.
#include "runtime/codegen/object_cache.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "runtime/codegen/object_loader.h"
#include "runtime/codegen/plugin.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/kernel.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPlenty = int64_t{64} << 20;

/// An own cache folder as long as it lives.
class CacheFolder {
 public:
  explicit CacheFolder(int64_t limit = kPlenty)
      : path_(fs::temp_directory_path() / "tide-cache-XXXXXX") {
    std::string name = path_.string();
    path_ = mkdtemp(name.data());
    cache_.emplace(path_.string(), limit);
  }
  ~CacheFolder() { fs::remove_all(path_); }
  ObjectCache& cache() { return *cache_; }
  const fs::path& path() const { return path_; }

  /// The only file in it.
  fs::path file() const { return fs::directory_iterator(path_)->path(); }

 private:
  fs::path path_;
  std::optional<ObjectCache> cache_;
};

void change_byte(const fs::path& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const char old = static_cast<char>(file.get());
  file.seekp(at);
  file.put(static_cast<char>(old ^ 1));
}

LoopProgram copy_program() {
  using Kind = LoopInstruction::Kind;
  LoopProgram program;
  program.operands = {{.vector_stride = 1}, {.vector_stride = 1}};
  program.code = {{.kind = Kind::load, .type = DType::f32, .operand = 0},
                  {.kind = Kind::store, .type = DType::f32, .operand = 1}};
  return program;
}

}  // namespace

TEST_CASE("an object is found under its own key only", "[codegen]") {
  CacheFolder folder;
  CHECK(folder.cache().load("key").empty());
  folder.cache().store("key", "object");
  CHECK(folder.cache().load("key") == "object");
  CHECK(folder.cache().load("other").empty());
  folder.cache().store("key", "newer object");
  CHECK(folder.cache().load("key") == "newer object");
}

TEST_CASE("a damaged or cut file is not there", "[codegen]") {
  CacheFolder folder;
  folder.cache().store("key", "object");
  const auto size = static_cast<std::streamoff>(fs::file_size(folder.file()));
  for (std::streamoff at = 0; at < size; ++at) {
    change_byte(folder.file(), at);
    CHECK(folder.cache().load("key").empty());
    change_byte(folder.file(), at);
  }
  CHECK(folder.cache().load("key") == "object");
  fs::resize_file(folder.file(), static_cast<uintmax_t>(size) / 2);
  CHECK(folder.cache().load("key").empty());
}

TEST_CASE("a disk without room stays as it was", "[codegen]") {
  CacheFolder folder;
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{1000, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  folder.cache().store("key", std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(folder.cache().load("key").empty());
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("the folder keeps to its limit of bytes", "[codegen]") {
  constexpr int64_t kLimit = int64_t{4} << 20;
  CacheFolder folder(kLimit);
  const std::string object(1 << 16, 'x');
  for (int i = 0; i < 200; ++i) {
    folder.cache().store(std::to_string(i), object);
    CHECK(folder.cache().use().bytes <= kLimit + kLimit / 32 + (1 << 17));
  }
  CHECK(folder.cache().use().bytes > kLimit / 2);
  CHECK(folder.cache().load("0").empty());
  CHECK(folder.cache().load("199") == object);
}

TEST_CASE("the folder keeps to its limit of files", "[codegen]") {
  constexpr int64_t kLimit = int64_t{1} << 20;  // 128 files
  CacheFolder folder(kLimit);
  for (int i = 0; i < 1000; ++i) {
    folder.cache().store(std::to_string(i), "little");
    CHECK(folder.cache().use().files <= 128 + 128 / 32 + 1);
  }
}

TEST_CASE("what was used last stays longest", "[codegen]") {
  constexpr int64_t kLimit = int64_t{4} << 20;
  CacheFolder folder(kLimit);
  const std::string object(1 << 16, 'x');
  std::map<int, fs::path> files;
  for (int i = 0; i < 40; ++i) {
    folder.cache().store(std::to_string(i), object);
    for (const auto& file : fs::directory_iterator(folder.path()))
      if (fs::last_write_time(file) > fs::file_time_type::clock::now() - std::chrono::hours(1))
        files[i] = file.path();
    fs::last_write_time(files[i], fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
  }
  CHECK(folder.cache().load("0") == object);  // used now, written first
  for (int i = 100; i < 140; ++i) folder.cache().store(std::to_string(i), object);
  CHECK(folder.cache().load("0") == object);
  CHECK(folder.cache().load("1").empty());
}

TEST_CASE("a limit of zero disables the cache", "[codegen]") {
  CacheFolder folder(0);
  folder.cache().store("key", "object");
  CHECK(folder.cache().load("key").empty());
  CHECK(folder.cache().path().empty());
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a folder to which others may write is not used", "[codegen]") {
  const mode_t mode = GENERATE(0755, 0770, 0702);
  CAPTURE(mode);
  CacheFolder folder;
  chmod(folder.path().c_str(), mode);
  ObjectCache cache(folder.path().string(), kPlenty);
  cache.store("key", "object");
  CHECK(cache.load("key") == (mode == 0755 ? "object" : ""));
  CHECK(fs::is_empty(folder.path()) == (mode != 0755));
}

TEST_CASE("a cache without a usable folder stays empty", "[codegen]") {
  ObjectCache cache("/proc/no/such/folder", kPlenty);
  cache.store("key", "object");
  CHECK(cache.load("key").empty());
}

TEST_CASE("an object file loads as long as it is whole", "[codegen]") {
  const std::string object = generate(copy_program(), GeneratedForm::object);
  CHECK(load_object(object) != nullptr);
  for (size_t size = 0; size < object.size(); size += 7)
    CHECK(load_object(std::string_view(object).substr(0, size)) == nullptr);
}

TEST_CASE("kernels neither contract nor call", "[codegen]") {
  using Kind = LoopInstruction::Kind;
  LoopProgram program = copy_program();
  program.code.insert(program.code.begin() + 1,
                      {{.kind = Kind::map, .type = DType::f32, .op = 0, .arity = 2}});
  program.code[1].op = static_cast<OpCode>(ElementwiseOp::mul);
  program.code.insert(program.code.begin() + 2,
                      {.kind = Kind::map, .type = DType::f32, .op = 0, .arity = 2, .a = {1, 0}});
  program.code[2].op = static_cast<OpCode>(ElementwiseOp::add);
  program.code.back().a[0] = 2;
  const std::string assembly = generate(program, GeneratedForm::assembly);
  CHECK(assembly.find("mulps") != std::string::npos);
  CHECK(assembly.find("addps") != std::string::npos);
  CHECK(assembly.find("fmadd") == std::string::npos);
  CHECK(assembly.find("call") == std::string::npos);
}

}  // namespace tide::test
