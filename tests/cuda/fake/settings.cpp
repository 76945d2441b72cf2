// Reads the fake driver's settings from the environment.
#include "tests/cuda/fake/settings.h"

#include <cstdlib>
#include <map>

namespace fake {
namespace {

size_t bytes_of(const std::string& text) {
  char* end = nullptr;
  const auto number = static_cast<size_t>(std::strtoull(text.c_str(), &end, 10));
  return *end == 'G'   ? number << 30
         : *end == 'M' ? number << 20
         : *end == 'K' ? number << 10
                       : number;
}

Settings read_settings() {
  std::map<std::string, std::string> given;
  const char* text = std::getenv("TIDE_FAKE_CUDA");
  std::string rest = text ? text : "";
  while (!rest.empty()) {
    const std::string part = rest.substr(0, rest.find(','));
    rest.erase(0, std::min(part.size() + 1, rest.size()));
    const size_t equal = part.find('=');
    if (equal != std::string::npos) given[part.substr(0, equal)] = part.substr(equal + 1);
  }
  Settings result;
  const auto integer = [&](const char* key, auto& to) {
    if (given.count(key)) to = std::stoi(given[key]);
  };
  integer("devices", result.devices);
  integer("version", result.version);
  integer("capability", result.capability);
  integer("old_device", result.old_device);
  integer("busy_device", result.busy_device);
  integer("compute_mode", result.compute_mode);
  integer("mig", result.mig);
  integer("init_error", result.init_error);
  integer("lose_after", result.lose_after);
  integer("lost_device", result.lost_device);
  integer("lose_error", result.lose_error);
  integer("fail_event_call", result.fail_event_call);
  integer("fail_copy", result.fail_copy);
  integer("resident_blocks", result.resident_blocks);
  integer("block_threads", result.block_threads);
  integer("skip_kernels", result.skip_kernels);
  integer("late", result.late);
  integer("queue_depth", result.queue_depth);
  integer("clock_percent", result.clock_percent);
  integer("callback_us", result.callback_us);
  integer("function_threads", result.function_threads);
  integer("races", result.races);
  result.order = given["order"];
  integer("jit_ms", result.jit_ms);
  integer("launch_us", result.launch_us);
  integer("pin_error", result.pin_error);
  integer("pinned_only", result.pinned_only);
  integer("count_waits", result.count_waits);
  integer("peers", result.peers);
  integer("report_peers", result.report_peers);
  integer("binary_error", result.binary_error);
  integer("report_binaries", result.report_binaries);
  if (given.count("memory")) result.memory = bytes_of(given["memory"]);
  integer("fail_graph_after", result.fail_graph_after);
  result.fail_graph = given["fail_graph"];
  result.fail_event = given["fail_event"];
  result.missing = given["missing"];
  if (const char* mutant = std::getenv("TIDE_MUTANT"))
    result.mutant = static_cast<unsigned>(std::atoi(mutant));
  return result;
}

}  // namespace

const Settings& settings() {
  static const Settings the_settings = read_settings();
  return the_settings;
}

}  // namespace fake
