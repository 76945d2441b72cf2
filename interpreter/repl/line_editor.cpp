// Readline through dlopen, driven by its callback interface so that this loop, not readline,
// decides what a signal means; and the plain editor for pipes and bare machines.
#include "interpreter/repl/line_editor.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "interpreter/run/interrupt.h"
#include "interpreter/run/terminal.h"

namespace tide {
namespace {

/// Waits until standard input can be read. False if Ctrl-C came instead.
bool wait_for_input() {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  // Blocked but within ppoll, so that a press between the question and the wait is not missed.
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  bool interrupted = take_interrupt();
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (!interrupted && ppoll(&input, 1, nullptr, &before) < 0) interrupted = take_interrupt();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !interrupted;
}

/// Reads whole lines without editing. Bytes come from read(2), not from stdio: a script that calls
/// io.read at the prompt then finds the line it asks for. Lines that no terminal echoes are echoed
/// here, as readline does, so that what is printed reads like a session.
class PlainEditor : public LineEditor {
 public:
  ReadResult read(const char* prompt, std::string& line) override {
    std::fputs(prompt, stdout);
    std::fflush(stdout);
    line.clear();
    for (char byte; wait_for_input();) {
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count <= 0 && line.empty()) {
        std::fputs("\n", stdout);
        return ReadResult::kEnd;
      }
      if (count <= 0 || byte == '\n') {
        if (!isatty(STDIN_FILENO)) std::printf("%s\n", line.c_str());
        return ReadResult::kLine;
      }
      line.push_back(byte);
    }
    std::fputs("\n", stdout);
    return ReadResult::kInterrupted;
  }

  void remember(const std::string&) override {}
};

/// The part of readline 8 that is used, found by name in the opened library.
struct Readline {
  using LineHandler = void (*)(char*);
  using CompletionFunction = char** (*)(const char*, int, int);
  using GeneratorFunction = char* (*)(const char*, int);

  void (*install_handler)(const char* prompt, LineHandler);
  void (*remove_handler)();
  void (*read_character)();
  void (*after_signal)();
  void (*free_line_state)();
  void (*add_history)(const char*);
  void (*redisplay)();
  const char* (*terminal_capability)(const char* name);
  const char* (*variable)(const char* name);
  void (*get_screen_size)(int* rows, int* columns);
  char** (*match)(const char*, GeneratorFunction);
  char** line_buffer;
  int* point;
  int* end;
  unsigned long* state;
  void (**redisplay_function)();
  const char** program_name;
  const char** word_breaks;
  int* catch_signals;
  int* catch_window_changes;
  int* completion_append;
  int* completion_over;
  const char** quotes;
  CompletionFunction* complete;

  static std::optional<Readline> open();
};

template <class Symbol>
bool find_symbol(void* library, const char* name, Symbol& symbol) {
  symbol = reinterpret_cast<Symbol>(dlsym(library, name));
  return symbol != nullptr;
}

std::optional<Readline> Readline::open() {
  void* library = dlopen("libreadline.so.8", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Readline r;
  const bool complete =
      find_symbol(library, "rl_callback_handler_install", r.install_handler) &&
      find_symbol(library, "rl_callback_handler_remove", r.remove_handler) &&
      find_symbol(library, "rl_callback_read_char", r.read_character) &&
      find_symbol(library, "rl_callback_sigcleanup", r.after_signal) &&
      find_symbol(library, "rl_free_line_state", r.free_line_state) &&
      find_symbol(library, "add_history", r.add_history) &&
      find_symbol(library, "rl_redisplay", r.redisplay) &&
      find_symbol(library, "rl_get_screen_size", r.get_screen_size) &&
      find_symbol(library, "rl_get_termcap", r.terminal_capability) &&
      find_symbol(library, "rl_variable_value", r.variable) &&
      find_symbol(library, "rl_point", r.point) && find_symbol(library, "rl_end", r.end) &&
      find_symbol(library, "rl_readline_state", r.state) &&
      find_symbol(library, "rl_redisplay_function", r.redisplay_function) &&
      find_symbol(library, "rl_completion_matches", r.match) &&
      find_symbol(library, "rl_line_buffer", r.line_buffer) &&
      find_symbol(library, "rl_readline_name", r.program_name) &&
      find_symbol(library, "rl_completer_word_break_characters", r.word_breaks) &&
      find_symbol(library, "rl_catch_signals", r.catch_signals) &&
      find_symbol(library, "rl_catch_sigwinch", r.catch_window_changes) &&
      find_symbol(library, "rl_completion_append_character", r.completion_append) &&
      find_symbol(library, "rl_attempted_completion_over", r.completion_over) &&
      find_symbol(library, "rl_basic_quote_characters", r.quotes) &&
      find_symbol(library, "rl_attempted_completion_function", r.complete);
  return complete ? std::optional(r) : std::nullopt;
}

class ReadlineEditor : public LineEditor {
 public:
  ReadlineEditor(const Readline& readline, Completer completer, Decorator decorator)
      : readline_(readline), completer_(std::move(completer)) {
    active_ = this;
    *readline_.program_name = "tide";
    *readline_.catch_signals = 0;
    *readline_.complete = complete;
    *readline_.quotes = "";  // A string may go on behind the name of a folder.
    // Names end at dots and colons too, so that a list of candidates shows fields alone.
    *readline_.word_breaks = " \t\n\"\\'`@$><=;|&{(+-*/%^~#})[],.:?!";
    if (decorator) painter_.emplace(std::move(decorator));
  }

  ~ReadlineEditor() override { active_ = nullptr; }

  ReadResult read(const char* prompt, std::string& line) override {
    result_.reset();
    line_.clear();
    prompt_ = prompt;
    readline_.install_handler(prompt, take_line);
    // Not before: readline asks nothing of a terminal on which another function draws.
    if (painter_ && wraps_lines()) *readline_.redisplay_function = redisplay;
    while (!result_) {
      const bool has_input = wait_for_input();
      if (painter_) painter_->clear_hint(stdout);
      if (has_input) {
        readline_.read_character();
      } else {
        // Behind the line, not into it.
        *readline_.point = *readline_.end;
        readline_.redisplay();
        readline_.after_signal();
        readline_.free_line_state();
        readline_.remove_handler();
        if (painter_) painter_->clear_hint(stdout);  // drawn again since
        std::fputs("^C\n", stdout);
        result_ = ReadResult::kInterrupted;
      }
    }
    std::fflush(stdout);
    line = std::move(line_);
    return *result_;
  }

  void remember(const std::string& entry) override { readline_.add_history(entry.c_str()); }

 private:
  /// Called by readline with a finished line, or null at the end.
  static void take_line(char* text) {
    active_->readline_.remove_handler();
    active_->result_ = text ? ReadResult::kLine : ReadResult::kEnd;
    if (text) active_->line_ = text;
    std::free(text);
    if (!text) std::fputs("\n", stdout);
  }

  /// Whether readline continues long lines in the next row, and does not scroll them.
  bool wraps_lines() const {
    const char* scrolls = readline_.variable("horizontal-scroll-mode");
    return readline_.terminal_capability("up") && scrolls && std::strcmp(scrolls, "off") == 0;
  }

  /// Whether more keys wait: what is drawn now would be drawn over at once.
  static bool is_behind() {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
  }

  static void redisplay() {
    // Searches and numeric arguments show another prompt: RL_STATE_ISEARCH, NSEARCH, SEARCH,
    // NUMERICARG and VIMOTION.
    constexpr unsigned long kOtherPrompt = 0x80 | 0x100 | 0x200 | 0x400 | 0x100000;
    const Readline& readline = active_->readline_;
    readline.redisplay();
    if ((*readline.state & kOtherPrompt) || is_behind()) return;
    ShownLine shown = {active_->prompt_, *readline.line_buffer,
                       static_cast<size_t>(*readline.point)};
    readline.get_screen_size(&shown.rows, &shown.columns);
    active_->painter_->draw(shown, stdout);
  }

  static char** complete(const char* word, int begin, int end) {
    const Readline& readline = active_->readline_;
    *readline.completion_over = 1;  // No file names in place of ours.
    *readline.completion_append = 0;
    const std::string before(*readline.line_buffer, end);
    Completion found = active_->completer_(before);
    // A name of a file may have breaks in it; readline completes from the last of them on.
    const size_t kept = static_cast<size_t>(begin) - std::min<size_t>(found.begin, begin);
    for (std::string& candidate : found.candidates) candidate.erase(0, kept);
    active_->candidates_ = std::move(found.candidates);
    return readline.match(word, next_candidate);
  }

  static char* next_candidate(const char*, int state) {
    static size_t next;
    if (state == 0) next = 0;
    const auto& candidates = active_->candidates_;
    return next < candidates.size() ? strdup(candidates[next++].c_str()) : nullptr;
  }

  inline static ReadlineEditor* active_ =
      nullptr;  ///< For readline's callbacks, which carry no data.

  Readline readline_;
  Completer completer_;
  std::optional<LinePainter> painter_;
  std::string prompt_;
  std::optional<ReadResult> result_;
  std::string line_;
  std::vector<std::string> candidates_;
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Completer completer, Decorator decorator) {
  if (on_terminal()) {
    if (const std::optional<Readline> readline = Readline::open()) {
      return std::make_unique<ReadlineEditor>(*readline, std::move(completer),
                                              std::move(decorator));
    }
  }
  return std::make_unique<PlainEditor>();
}

}  // namespace tide
