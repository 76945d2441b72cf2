// Runs NVIDIA's assembler, ptxas, on kernels: whether they assemble, and the registers and stack
// they need.
#include "tests/cuda/assembler.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <span>
#include <stdexcept>
#include <string_view>

#include "runtime/io/md5.h"
#include "tests/interpreter/command.h"

namespace tide::test {
namespace {

std::string program() {
  const char* path = std::getenv("TIDE_PTXAS");
  return path ? path : "";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start " + command);
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) text += line;
  if (pclose(pipe) != 0) throw std::runtime_error(text.substr(0, 2000));
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string assembler_release() {
  if (program().empty()) return "";
  std::smatch found;
  const std::string said = output_of(program() + " --version");
  return std::regex_search(said, found, std::regex(R"(release ([\d.]+))")) ? found[1].str() : "?";
}

bool takes_all_kernels() {
  return std::getenv("TIDE_TEST_ALL") || std::getenv("TIDE_WRITE_TABLE") ||
         std::getenv("TIDE_ASSEMBLED");
}

std::vector<KernelProperties> assemble(const std::string& ptx, const std::string& target) {
  const ::test::TemporaryFolder folder;
  const std::string file = folder.write("kernels.ptx", ptx);
  const std::string said =
      output_of(program() + " -v -arch=" + target + " " + file + " -o /dev/null");
  static const std::regex properties(
      R"(Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, )"
      R"((\d+) bytes spill loads[^\n]*\n[^\n]*Used (\d+) registers)");
  std::vector<KernelProperties> kernels;
  for (std::sregex_iterator it(said.begin(), said.end(), properties), end; it != end; ++it) {
    const auto number = [&](size_t group) { return std::stoi((*it)[group].str()); };
    kernels.push_back({(*it)[1].str(), number(5), number(2), number(3) + number(4)});
  }
  return kernels;
}

std::string joined(const std::vector<std::string>& kernels) {
  constexpr std::string_view kHead = ".address_size 64";
  std::string all;
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::string one = kernels[i];
    // Makes names unique within the module; `kernel_param_0` first, because it starts with
    // `kernel`.
    replace_all(one, "kernel_param_0", "parameter");
    replace_all(one, "lanes", "lanes_" + std::to_string(i));
    replace_all(one, "two_over_pi", "two_over_pi_" + std::to_string(i));
    replace_all(one, "entry kernel", "entry kernel_" + std::to_string(i));
    if (!all.empty()) one.erase(0, one.find(kHead) + kHead.size());
    all += one;
  }
  return all;
}

std::vector<KernelProperties> assemble_fused(const std::vector<std::string>& kernels,
                                             const std::string& target,
                                             const std::string& known_folder) {
  static const std::string release = assembler_release();
  const auto file_of = [&](const std::string& text) {
    Md5 sum;
    const std::string whole = release + ' ' + target + '\n' + text;
    sum.add(std::as_bytes(std::span(whole)));
    return known_folder + '/' + sum.text();
  };
  std::vector<KernelProperties> all(kernels.size());
  std::vector<std::string> new_texts;
  std::vector<size_t> new_places;
  for (size_t i = 0; i < kernels.size(); ++i) {
    KernelProperties& one = all[i];
    if (known_folder.empty() ||
        !(std::ifstream(file_of(kernels[i])) >> one.registers >> one.stack >> one.spilled)) {
      new_texts.push_back(kernels[i]);
      new_places.push_back(i);
    }
  }
  if (new_texts.empty()) return all;
  const std::vector<KernelProperties> found = assemble(joined(new_texts), target);
  if (found.size() != new_texts.size())
    throw std::runtime_error("the assembler reported another number of kernels");
  for (const KernelProperties& kernel : found) {
    const size_t i = std::stoul(kernel.name.substr(std::string_view("kernel_").size()));
    all[new_places.at(i)] = kernel;
    if (known_folder.empty()) continue;
    // Renamed when complete, because several tests may run at a time.
    const std::string path = file_of(new_texts[i]), unfinished = path + ".new";
    std::ofstream(unfinished) << kernel.registers << ' ' << kernel.stack << ' ' << kernel.spilled;
    std::filesystem::rename(unfinished, path);
  }
  return all;
}

}  // namespace tide::test
