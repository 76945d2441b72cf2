// Writes kernel.json, which describes how to start the kernel, and its logo.
#include "interpreter/jupyter/kernel_spec.h"

#include <cstdlib>
#include <stdexcept>

#include "bindings/support/text_file.h"
#include "runtime/os/environment.h"

namespace tide::jupyter {
namespace {

namespace fs = std::filesystem;

constexpr char kSpec[] = "kernel.json", kPicture[] = "logo-svg.svg";

/// Two waves.
constexpr char kWaves[] =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" stroke-width="7" stroke-linecap="round">
  <path stroke="#1f8fbf" d="M6 25q8.7-14 17.4 0t17.4 0 17.2 0"/>
  <path stroke="#14607f" d="M6 44q8.7-14 17.4 0t17.4 0 17.2 0"/>
</svg>
)";

std::string value_of(Variable variable) {
  const char* const value = environment_text(variable);
  return value ? value : "";
}

}  // namespace

fs::path kernel_spec_folder(const fs::path& data) { return data / "kernels" / "tide"; }

fs::path user_data_folder() {
  if (const std::string own = value_of(Variable::jupyter_data_dir); !own.empty()) return own;
  if (const std::string data = value_of(Variable::data_home); !data.empty())
    return fs::path(data) / "jupyter";
  const std::string home = value_of(Variable::home);
  if (home.empty())
    throw std::runtime_error("HOME is not set: name a folder with JUPYTER_DATA_DIR or --prefix");
  return fs::path(home) / ".local/share/jupyter";
}

void write_kernel_spec(const fs::path& folder, const std::string& spec) {
  fs::create_directories(folder);
  write_text_file((folder / kSpec).string(), spec);
  write_text_file((folder / kPicture).string(), kWaves);
}

void remove_kernel_spec(const fs::path& folder) {
  if (!fs::remove(folder / kSpec))
    throw std::runtime_error("there is no kernel in " + folder.string());
  fs::remove(folder / kPicture);
  fs::remove(folder);
}

}  // namespace tide::jupyter
