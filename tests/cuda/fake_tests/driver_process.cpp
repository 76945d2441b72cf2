#include "tests/cuda/fake_tests/driver_process.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace fake_tests {
namespace {

using GetEntry = int (*)(const char* name, void** address, int version, uint64_t, int* status);

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(nullptr);
  _exit(1);
}

void require(Result result, const char* what) {
  if (result != kSuccess) give_up(std::string(what) + " failed: " + std::to_string(result));
}

Table open_driver() {
  void* library = dlopen(TIDE_FAKE_DRIVER "/libcuda.so.1", RTLD_NOW);
  if (!library) give_up(dlerror());
  const auto get = reinterpret_cast<GetEntry>(dlsym(library, "cuGetProcAddress_v2"));
  Table table;
#define TIDE_FIND(member, entry, parameters) \
  get(entry, reinterpret_cast<void**>(&table.member), kInterfaceVersion, 0, nullptr);
  TIDE_CUDA_DRIVER(TIDE_FIND)
#undef TIDE_FIND
  return table;
}

[[noreturn]] void run_child(const std::string& settings,
                            const std::function<void(const Table&)>& body) {
  setenv("TIDE_FAKE_CUDA", settings.c_str(), 1);
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const Table driver = open_driver();
  require(driver.init(0), "cuInit");
  Context context = nullptr;
  require(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  require(driver.context_use(context), "cuCtxSetCurrent");
  body(driver);
  _exit(0);
}

}  // namespace

Outcome with_driver(const std::string& settings, const std::function<void(const Table&)>& body) {
  int ends[2];
  if (pipe(ends)) throw std::runtime_error("pipe");
  std::fflush(stdout);  // otherwise the child writes the buffered output again
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    run_child(settings, body);
  }
  close(ends[1]);
  Outcome outcome;
  char part[4096];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    outcome.said.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

std::string module_text(const std::string& name, const std::string& code, int shared,
                        const std::string& directives) {
  std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry " + name +
                     "(.param .u64 address)\n" + directives +
                     "\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .pred %p<4>;\n";
  if (shared) text += ".shared .align 16 .b8 memory[" + std::to_string(shared) + "];\n";
  text += "ld.param.u64 %rd1, [address];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n";
  return text + code + "\nret;\n}\n";
}

Function load(const Table& driver, const std::string& text, const std::string& name) {
  char log[512] = "";
  int options[] = {kJitErrorBuffer, kJitErrorBufferBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  Module module = nullptr;
  if (driver.module_load(&module, text.c_str(), 2, options, values) != kSuccess)
    give_up(std::string("the module was refused: ") + log);
  Function function = nullptr;
  require(driver.module_function(&function, module, name.c_str()), "cuModuleGetFunction");
  return function;
}

Result launch(const Table& driver, Function function, unsigned blocks, unsigned threads,
              CudaStream stream, DevicePointer address) {
  void* parameters[] = {&address};
  return driver.launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr);
}

CudaStream new_stream(const Table& driver) {
  CudaStream stream = nullptr;
  require(driver.stream_create(&stream, kStreamNonBlocking), "cuStreamCreate");
  return stream;
}

std::string run_kernel(const std::string& code, unsigned blocks, unsigned threads,
                       const std::string& settings) {
  constexpr size_t kBytes = 4096;
  return with_driver(settings,
                     [&](const Table& driver) {
                       const Function kernel =
                           load(driver, module_text("tried", code, kBytes), "tried");
                       DevicePointer memory = 0;
                       driver.allocate(&memory, kBytes);
                       const CudaStream stream = new_stream(driver);
                       driver.fill_words(memory, 0, kBytes / 4, stream);
                       launch(driver, kernel, blocks, threads, stream, memory);
                       const Result result = driver.stream_synchronize(stream);
                       const auto* words = reinterpret_cast<const unsigned*>(memory);
                       std::printf("%d: %u %u\n", result, words[0], words[1]);
                     })
      .said;
}

}  // namespace fake_tests
