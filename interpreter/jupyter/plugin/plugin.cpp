// Runs xeus's kernel on a connection file, and writes the kernel.json by which Jupyter starts it.
#include "interpreter/jupyter/plugin/plugin.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <xeus/xeus_context.hpp>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <zmq.hpp>

#include "interpreter/jupyter/plugin/interpreter.h"
#include "interpreter/jupyter/plugin/server.h"

namespace tide::jupyter {
namespace {

constexpr auto kErrorHandler = nlohmann::json::error_handler_t::replace;  ///< for invalid UTF-8

std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context,
                                           const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t error_handler) {
  return std::make_unique<Server>(context.get_wrapped_context<zmq::context_t>(), configuration,
                                  error_handler);
}

xeus::xconfiguration read_configuration(const std::string& file) {
  if (!std::ifstream(file)) throw std::runtime_error("cannot read the connection file " + file);
  try {
    return xeus::load_configuration(file);
  } catch (const std::exception& error) {
    throw std::runtime_error(file + " is not a Jupyter connection file: " + error.what());
  }
}

void serve(const std::string& connection_file, const Presentation& presentation, Kernel& kernel) {
  const xeus::xconfiguration configuration = read_configuration(connection_file);
  auto interpreter = std::make_unique<Interpreter>(presentation, kernel);
  Interpreter& requests = *interpreter;
  xeus::xkernel served(configuration, xeus::get_user_name(), xeus::make_context<zmq::context_t>(),
                       std::move(interpreter), make_server, std::make_unique<History>(kernel),
                       nullptr, xeus::make_null_debugger, nlohmann::json::object(), kErrorHandler);
  requests.set_server(static_cast<Server&>(served.get_server()));
  std::clog.setstate(std::ios::failbit);  // xeus prints its version there
  served.start();
}

std::string kernel_spec(const std::string& program) {
  const nlohmann::ordered_json spec = {{"argv", {program, "jupyter", "run", "{connection_file}"}},
                                       {"display_name", "tide"},
                                       {"language", "lua"},
                                       {"interrupt_mode", "signal"}};
  return spec.dump(1, ' ', false, kErrorHandler) + "\n";
}

}  // namespace
}  // namespace tide::jupyter

extern "C" __attribute__((visibility("default"))) const tide::jupyter::Plugin*
tide_jupyter_plugin() {
  static constexpr tide::jupyter::Plugin plugin = {tide::jupyter::serve,
                                                   tide::jupyter::kernel_spec};
  return &plugin;
}
