// Turns Jupyter's requests into calls of a kernel, and its results into replies.
#pragma once

#include <string>
#include <xeus/xhistory_manager.hpp>
#include <xeus/xinterpreter.hpp>

#include "interpreter/jupyter/plugin/plugin.h"
#include "interpreter/jupyter/plugin/server.h"

namespace tide::jupyter {

class Interpreter final : public xeus::xinterpreter, private FrontEnd {
 public:
  Interpreter(const Presentation& presentation, Kernel& kernel)
      : presentation_(presentation), kernel_(kernel) {}

  /// Must be called before the first request.
  void set_server(Server& server) { server_ = &server; }

 private:
  void configure_impl() override {}
  nlohmann::json execute_request_impl(int count, const std::string& code, bool silent, bool stored,
                                      nlohmann::json expressions, bool may_read) override;
  nlohmann::json complete_request_impl(const std::string& code, int cursor) override;
  nlohmann::json inspect_request_impl(const std::string& code, int cursor, int detail) override;
  nlohmann::json is_complete_request_impl(const std::string& code) override;
  nlohmann::json kernel_info_request_impl() override;
  void shutdown_request_impl() override {}

  void print(const char* stream, std::string text) override;
  void show(const Forms& forms, const std::string& id, bool again) override;
  void show_result(const Forms& forms) override;
  void clear() override;
  std::optional<std::string> read_line(const std::function<bool()>& is_interrupted) override;

  nlohmann::json values_of(const nlohmann::json& expressions);

  Presentation presentation_;
  Kernel& kernel_;
  Server* server_ = nullptr;
  int number_ = 0;  ///< of the current input
};

/// The kernel's input history.
class History final : public xeus::xhistory_manager {
 public:
  explicit History(Kernel& kernel) : kernel_(kernel) {}

 private:
  void configure_impl() override {}
  void store_inputs_impl(int, int, const std::string&, const std::string&) override {}
  nlohmann::json get_tail_impl(int count, bool raw, bool output) const override;
  nlohmann::json get_range_impl(int session, int start, int stop, bool raw,
                                bool output) const override;
  nlohmann::json search_impl(const std::string& pattern, bool raw, bool output, int count,
                             bool unique) const override;

  Kernel& kernel_;
};

}  // namespace tide::jupyter
