// Converts texts and positions between Jupyter's protocol and the kernel.
#include "interpreter/jupyter/plugin/interpreter.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <xeus/xhelper.hpp>

#include "interpreter/jupyter/plugin/base64.h"

namespace tide::jupyter {
namespace {

using nlohmann::json;
using Inputs = std::vector<std::pair<int, std::string>>;

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// The byte offset of character `position`; Jupyter counts characters from 0.
size_t byte_of(std::string_view text, int position) {
  if (position < 0) return text.size();
  size_t byte = 0;
  for (; byte < text.size(); ++byte)
    if (begins_character(text[byte]) && position-- == 0) break;
  return byte;
}

int characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), begins_character));
}

/// Text stays text, JSON is parsed, and other bytes are encoded in base64.
json data_of(const Forms& forms) {
  json data = json::object();
  for (const auto& [type, form] : forms) {
    if (type == kAlternative) continue;
    const bool is_text = type.starts_with("text/") || type.ends_with("+xml") ||
                         type.ends_with("javascript") || type.ends_with("latex");
    json value;
    if (type.ends_with("json")) value = json::parse(form, nullptr, false);
    if (type.ends_with("json") && !value.is_discarded())
      data[type] = std::move(value);
    else
      data[type] = is_text ? form : base64(form);
  }
  return data;
}

/// The alternative text of an image.
json metadata_of(const Forms& forms) {
  const auto alternative = forms.find(kAlternative);
  if (alternative == forms.end()) return json::object();
  return {{"image/png", {{"alt", alternative->second}}}};
}

json reply_of(const Error& error) {
  return {{"status", "error"},
          {"ename", error.name},
          {"evalue", error.message},
          {"traceback", error.traceback}};
}

}  // namespace

json Interpreter::execute_request_impl(int count, const std::string& code, bool silent, bool stored,
                                       json expressions, bool may_read) {
  if (server_->shows_silent_input()) {
    silent = false;
    publish_execution_input(code, ++count);
  }
  number_ = count;
  Reply reply = kernel_.execute({code, count, silent, stored, may_read}, *this);
  if (reply.error) {
    const Error& error = *reply.error;
    if (!silent) publish_execution_error(error.name, error.message, error.traceback);
    return reply_of(error);
  }
  json payload = json::array();
  if (!reply.page.empty())
    payload.push_back({{"source", "page"}, {"start", 0}, {"data", {{"text/plain", reply.page}}}});
  if (reply.leave) {
    payload.push_back({{"source", "ask_exit"}, {"keepkernel", false}});
    server_->end();
  }
  return xeus::create_successful_reply(payload, values_of(expressions));
}

/// The values of a request's `user_expressions`.
json Interpreter::values_of(const json& expressions) {
  json values = json::object();
  for (const auto& [name, expression] : expressions.items()) {
    Forms forms;
    if (const auto error = kernel_.evaluate(expression.get<std::string>(), forms))
      values[name] = reply_of(*error);
    else
      values[name] = {{"status", "ok"}, {"data", data_of(forms)}, {"metadata", metadata_of(forms)}};
  }
  return values;
}

json Interpreter::complete_request_impl(const std::string& code, int cursor) {
  const std::string before = code.substr(0, byte_of(code, cursor));
  const Candidates found = kernel_.complete(before);
  const int end = characters(before);
  const int begin = end - characters(std::string_view(before).substr(found.begin));
  return xeus::create_complete_reply(found.names, begin, end);
}

json Interpreter::inspect_request_impl(const std::string& code, int cursor, int) {
  const auto help = kernel_.inspect(code, byte_of(code, cursor));
  if (!help) return xeus::create_inspect_reply();
  return xeus::create_inspect_reply(true, {{"text/plain", *help}});
}

json Interpreter::is_complete_request_impl(const std::string& code) {
  std::string indent;
  switch (kernel_.check(code, indent)) {
    case Completeness::kComplete:
      return xeus::create_is_complete_reply("complete");
    case Completeness::kIncomplete:
      return xeus::create_is_complete_reply("incomplete", indent);
    default:
      return xeus::create_is_complete_reply("invalid");
  }
}

json Interpreter::kernel_info_request_impl() {
  return xeus::create_info_reply("", "tide", presentation_.version, "lua",
                                 presentation_.lua_version, "text/x-lua", ".lua", "lua", "lua", "",
                                 presentation_.banner);
}

void Interpreter::print(const char* stream, std::string text) {
  publish_stream(stream, std::move(text));
}

void Interpreter::show(const Forms& forms, const std::string& id, bool again) {
  json transient = json::object();
  if (!id.empty()) transient["display_id"] = id;
  if (again)
    update_display_data(data_of(forms), metadata_of(forms), std::move(transient));
  else
    display_data(data_of(forms), metadata_of(forms), std::move(transient));
}

void Interpreter::show_result(const Forms& forms) {
  publish_execution_result(number_, data_of(forms), metadata_of(forms));
}

void Interpreter::clear() { clear_output(true); }

std::optional<std::string> Interpreter::read_line(const std::function<bool()>& is_interrupted) {
  std::optional<std::string> line;
  register_input_handler([&](const std::string& value) { line = value; });
  server_->set_interrupted(is_interrupted);
  input_request("", false);
  register_input_handler(nullptr);
  return line;
}

// --- History -------------------------------------------------------------------------------------

namespace {

constexpr int kSession = 0;  ///< the current one; others are not kept

json history_reply(const Inputs& inputs, bool output) {
  json entries = json::array();
  for (const auto& [number, text] : inputs) {
    if (output)
      entries.push_back({kSession, number, {text, nullptr}});
    else
      entries.push_back({kSession, number, text});
  }
  return {{"status", "ok"}, {"history", entries}};
}

/// Keeps only the last `count` inputs.
void keep_last(Inputs& inputs, int count) {
  const auto kept = static_cast<size_t>(std::max(count, 0));
  if (inputs.size() > kept) inputs.erase(inputs.begin(), inputs.end() - kept);
}

}  // namespace

json History::get_tail_impl(int count, bool, bool output) const {
  Inputs inputs = kernel_.inputs();
  keep_last(inputs, count);
  return history_reply(inputs, output);
}

json History::get_range_impl(int session, int start, int stop, bool, bool output) const {
  Inputs inputs = kernel_.inputs();
  std::erase_if(inputs, [&](const auto& input) {
    return session != kSession || input.first < start || input.first >= stop;
  });
  return history_reply(inputs, output);
}

json History::search_impl(const std::string& pattern, bool, bool output, int count,
                          bool unique) const {
  Inputs inputs = kernel_.inputs();
  std::erase_if(inputs, [&](const auto& input) {
    return fnmatch(pattern.c_str(), input.second.c_str(), 0) != 0;
  });
  if (unique) {
    // Keep the last of equal inputs.
    std::set<std::string> seen;
    std::reverse(inputs.begin(), inputs.end());
    std::erase_if(inputs, [&](const auto& input) { return !seen.insert(input.second).second; });
    std::reverse(inputs.begin(), inputs.end());
  }
  keep_last(inputs, count);
  return history_reply(inputs, output);
}

}  // namespace tide::jupyter
