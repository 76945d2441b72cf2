// Landlock for files, and a seccomp filter for processes and the network.
#include "interpreter/run/kernel_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "runtime/os/environment.h"

namespace tide {
namespace {

// Landlock's interface, from newer versions of linux/landlock.h.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1;
constexpr uint64_t kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                   kRemoveFolder = 1 << 4, kTruncate = 1 << 14, kDeviceControl = 1 << 15;
constexpr uint64_t kOfFiles = 1 | kWriteFile | kReadFile | kTruncate | kDeviceControl;

struct Ruleset {
  uint64_t files, network, scoped;
};
struct [[gnu::packed]] PathRule {
  uint64_t allowed;
  int32_t folder;
};

/// All access rights that a version of Landlock can restrict.
Ruleset all_of(long version) {
  const int files = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return {(uint64_t{1} << files) - 1, version >= 4 ? 3u : 0u, version >= 6 ? 3u : 0u};
}

void allow(int ruleset, uint64_t rights, const std::string& path) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return;  // does not exist
  const PathRule rule{S_ISDIR(status.st_mode) ? rights : rights & kOfFiles, file};
  syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
  close(file);
}

/// The folders of libraries and their settings: standard ones and those named by variables.
std::vector<std::string> library_paths() {
  std::vector<std::string> paths = {"/usr",  "/lib",       "/lib64",           "/opt",
                                    "/proc", "/sys",       "/etc/ld.so.cache", "/etc/localtime",
                                    "/nix",  "/etc/nvidia"};
  for (const Variable variable :
       {Variable::path, Variable::plugin_path, Variable::cuda_path, Variable::ld_library_path,
        Variable::virtual_env, Variable::conda_prefix})
    for (std::string& path : environment_paths(variable)) paths.push_back(std::move(path));
  // Python's packages next to its program.
  for (const std::filesystem::path folder : environment_paths(Variable::search_path))
    if (access((folder / "python3").c_str(), X_OK) == 0)
      paths.push_back(folder.parent_path() / "lib");
  if (const char* home = environment_text(Variable::home))
    for (const char* folder : {"/.local/lib", "/.pyenv/versions"})
      paths.push_back(std::string(home) + folder);
  return paths;
}

bool confine_files(const std::vector<std::string>& readable,
                   const std::vector<std::string>& writable) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  const Ruleset refused = all_of(version);
  // Older kernels expect a shorter structure.
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(kCreateRuleset, &refused, size, 0));
  if (ruleset < 0) return false;
  const uint64_t reading = kReadFile | kReadFolder;
  for (const std::string& path : library_paths()) allow(ruleset, reading, path);
  for (const std::string& path : readable) allow(ruleset, reading, path);
  const uint64_t anything = refused.files & ~uint64_t{1};  // except execution
  for (const std::string& path : writable) {
    allow(ruleset, anything, path);
    // Removing the folder requires a right on its parent.
    allow(ruleset, kRemoveFolder, std::filesystem::path(path).parent_path());
  }
  allow(ruleset, refused.files & (reading | kWriteFile | kDeviceControl), "/dev");
  const bool done = syscall(kRestrictSelf, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

#if defined(__x86_64__)

/// System calls that tide and its libraries do not need, and that affect other processes or bypass
/// Landlock.
constexpr uint32_t kDeniedCalls[] = {
    SYS_execve,
    SYS_execveat,
    SYS_fork,
    SYS_vfork,
    SYS_socket,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_io_uring_setup,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_userfaultfd,
    SYS_pidfd_getfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
    SYS_reboot,
};

bool filter_calls() {
  constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM, kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
  constexpr uint32_t kOtherInterface = 0x40000000;  // x32's calls
  const auto load = [](size_t offset) {
    return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  };
  const auto return_action = [](uint32_t action) {
    return sock_filter(BPF_STMT(BPF_RET | BPF_K, action));
  };
  /// Skips the next `count` instructions unless the comparison holds.
  const auto if_so = [](uint16_t comparison, uint32_t value, uint8_t count) {
    return sock_filter(BPF_JUMP(BPF_JMP | comparison | BPF_K, value, 0, count));
  };
  std::vector<sock_filter> code = {
      load(offsetof(seccomp_data, arch)),
      sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0)),
      return_action(kRefuse),
      load(offsetof(seccomp_data, nr)),
      if_so(BPF_JGE, kOtherInterface, 1),
      return_action(kRefuse),
      // Its flags are in memory, which a filter cannot read: the C library falls back to clone.
      if_so(BPF_JEQ, SYS_clone3, 1),
      return_action(kUnknown),
  };
  for (const uint32_t call : kDeniedCalls) {
    code.push_back(if_so(BPF_JEQ, call, 1));
    code.push_back(return_action(kRefuse));
  }
  // Allows threads but not processes.
  code.push_back(if_so(BPF_JEQ, SYS_clone, 4));
  code.push_back(load(offsetof(seccomp_data, args)));
  code.push_back(if_so(BPF_JSET, CLONE_THREAD, 1));
  code.push_back(return_action(SECCOMP_RET_ALLOW));
  code.push_back(return_action(kRefuse));
  code.push_back(return_action(SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool filter_calls() { return false; }

#endif

}  // namespace

std::string install_kernel_filters(const std::vector<std::string>& readable,
                                   const std::vector<std::string>& writable) {
  const bool may_confine = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  const bool files = may_confine && confine_files(readable, writable);
  const bool calls = may_confine && filter_calls();
  if (files && calls) return {};
  const std::string what = files   ? "processes and sockets"
                           : calls ? "files"
                                   : "files and processes";
  return "this kernel lacks Landlock or seccomp: " + what +
         " are protected by tide's own checks only";
}

}  // namespace tide
