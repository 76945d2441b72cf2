// `tide jupyter`: installs and runs the kernel for notebooks.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "bindings/module.h"
#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/jupyter/kernel.h"
#include "interpreter/jupyter/kernel_spec.h"
#include "interpreter/jupyter/output.h"
#include "interpreter/jupyter/plugin/plugin.h"
#include "interpreter/jupyter/standard_input.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/state.h"
#include "interpreter/version.h"
#include "runtime/os/environment.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

const jupyter::Plugin& plugin() {
  try {
    void* const entry = tide_plugin_entry("tide-jupyter.so", "tide_jupyter_plugin");
    return *reinterpret_cast<const jupyter::Plugin* (*)()>(entry)();
  } catch (const std::exception& error) {
    throw std::runtime_error(
        "notebooks need Debian's libxeus6, and tide-jupyter.so, which is built where xeus-dev is "
        "installed: " +
        std::string(error.what()));
  }
}

/// The Jupyter data folder selected by the options.
fs::path data_folder(const Words& words) {
  fs::path folder;
  OptionReader reader(words);
  while (reader.next()) {
    const bool is_first = folder.empty();
    if (const auto prefix = reader.value("--prefix")) {
      folder = fs::absolute(*prefix) / "share/jupyter";
    } else if (reader.flag("--user")) {
      folder = jupyter::user_data_folder();
    } else if (reader.flag("--sys-prefix")) {
      const char* active = environment_text(Variable::virtual_env);
      if (!active) active = environment_text(Variable::conda_prefix);
      if (!active)
        throw UsageError{"--sys-prefix: no environment is active; name a folder with --prefix P"};
      folder = fs::path(active) / "share/jupyter";
    } else {
      reader.refuse();
    }
    if (!is_first) throw UsageError{"--user, --prefix and --sys-prefix are mutually exclusive"};
  }
  return folder.empty() ? jupyter::user_data_folder() : folder;
}

int install(const Words& words) {
  const fs::path folder = jupyter::kernel_spec_folder(data_folder(words));
  const std::string program = fs::read_symlink("/proc/self/exe");
  jupyter::write_kernel_spec(folder, plugin().kernel_spec(program));
  std::printf("the kernel tide is in %s\n", folder.c_str());
  return EXIT_SUCCESS;
}

int uninstall(const Words& words) {
  const fs::path folder = jupyter::kernel_spec_folder(data_folder(words));
  jupyter::remove_kernel_spec(folder);
  std::printf("%s is removed\n", folder.c_str());
  return EXIT_SUCCESS;
}

/// Ends the process within a second of its parent's exit, even while it waits for a reply that can
/// no longer come. Jupyter sets the variable; a kernel started by hand may outlive its shell.
void end_with_jupyter() {
  if (!environment_text(Variable::jupyter_parent)) return;
  std::thread([parent = getppid()] {
    while (getppid() == parent) std::this_thread::sleep_for(std::chrono::seconds(1));
    tide_remove_scratch();
    _exit(EXIT_FAILURE);
  }).detach();
}

/// Serves notebooks until one requests shutdown.
int run(const Words& words) {
  if (words.size() != 1) throw UsageError{"jupyter run: takes the connection file"};
  const jupyter::Plugin& served = plugin();
  // Threads started from here on inherit the mask.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  end_with_jupyter();
  catch_interrupts(Impatience::kNone);
  jupyter::Output output;
  jupyter::NotebookKernel kernel(output);
  const jupyter::StandardInput input([&] { return kernel.read_line(); });
  State state;
  state.set_arguments({{}, program_name, {}});
  kernel.open(state);
  served.serve(words[0], {TIDE_VERSION, TIDE_LUA_VERSION, kVersion}, kernel);
  return finish(state, EXIT_SUCCESS);
}

}  // namespace

int jupyter_command(const Words& words) {
  if (words.empty()) throw UsageError{"jupyter: takes install or uninstall"};
  const Words arguments(words.begin() + 1, words.end());
  if (words[0] == "install") return install(arguments);
  if (words[0] == "uninstall") return uninstall(arguments);
  if (words[0] == "run") return run(arguments);
  throw UsageError{"jupyter: takes install or uninstall, got '" + words[0] + "'"};
}

}  // namespace tide
