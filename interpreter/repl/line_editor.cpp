// Readline through dlopen, and a plain editor for pipes and machines without readline. Readline
// gets its keys from a function that handles signals. Its callback interface would allow that too,
// but its errors jump into a frame that has returned: Ctrl-R Ctrl-X a crashes.
#include "interpreter/repl/line_editor.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
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
  // Blocked except inside ppoll, so that a signal between the check and the wait is not missed.
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  bool interrupted = take_interrupt();
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (!interrupted && ppoll(&input, 1, nullptr, &before) < 0) interrupted = take_interrupt();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !interrupted;
}

/// Reads complete lines without editing. It uses read(2), not stdio, so that io.read in an input
/// gets the following line. Echoes lines that no terminal echoes, as readline does, so that the
/// output reads like a session.
class PlainEditor : public LineEditor {
 public:
  ReadResult read(const char* prompt, const std::string&, std::string& line) override {
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

/// The functions and variables of readline 8 that are used, resolved with dlsym.
struct Readline {
  using KeyFunction = int (*)(std::FILE*);
  using Command = int (*)(int count, int key);
  using CompletionFunction = char** (*)(const char*, int, int);
  using GeneratorFunction = char* (*)(const char*, int);

  char* (*read_line)(const char* prompt);
  int (*initialize)();
  int (*read_key)(std::FILE*);
  int (*clear_message)();
  int (*bind)(const char* keys, Command);
  int (*insert_text)(const char*);
  int (*delete_text)(int from, int to);
  Command accept_line;
  Command search_backward;
  Command search_forward;
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
  KeyFunction* key_function;
  int (**startup_hook)();
  const char** program_name;
  const char** word_breaks;
  int* catch_signals;
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
      find_symbol(library, "readline", r.read_line) &&
      find_symbol(library, "rl_initialize", r.initialize) &&
      find_symbol(library, "rl_getc", r.read_key) &&
      find_symbol(library, "rl_clear_message", r.clear_message) &&
      find_symbol(library, "rl_bind_keyseq", r.bind) &&
      find_symbol(library, "rl_insert_text", r.insert_text) &&
      find_symbol(library, "rl_delete_text", r.delete_text) &&
      find_symbol(library, "rl_newline", r.accept_line) &&
      find_symbol(library, "rl_history_search_backward", r.search_backward) &&
      find_symbol(library, "rl_history_search_forward", r.search_forward) &&
      find_symbol(library, "rl_startup_hook", r.startup_hook) &&
      find_symbol(library, "rl_getc_function", r.key_function) &&
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
      find_symbol(library, "rl_completion_append_character", r.completion_append) &&
      find_symbol(library, "rl_attempted_completion_over", r.completion_over) &&
      find_symbol(library, "rl_basic_quote_characters", r.quotes) &&
      find_symbol(library, "rl_attempted_completion_function", r.complete);
  return complete ? std::optional(r) : std::nullopt;
}

/// Whether a line begins with a token that ends a block or starts its next part.
bool begins_with_closer(const std::string& line) {
  for (const std::string_view closer : {"end", "until", "else", "elseif"}) {
    if (!line.starts_with(closer)) continue;
    const char next = line.size() == closer.size() ? ' ' : line[closer.size()];
    if (!std::isalnum(static_cast<unsigned char>(next)) && next != '_') return true;
  }
  return !line.empty() && std::strchr(")}]", line[0]);
}

class ReadlineEditor : public LineEditor {
 public:
  ReadlineEditor(const Readline& readline, Completer completer, Decorator decorator)
      : readline_(readline), completer_(std::move(completer)) {
    active_ = this;
    *readline_.program_name = "tide";
    *readline_.catch_signals = 0;
    *readline_.complete = complete;
    *readline_.quotes = "";  // A string may continue after the name of a folder.
    // Names end at dots and colons too, so that a list of candidates shows only fields.
    *readline_.word_breaks = " \t\n\"\\'`@$><=;|&{(+-*/%^~#})[],.:?!";
    *readline_.key_function = next_key;
    *readline_.startup_hook = indent;
    bind_keys();
    readline_.initialize();
    if (decorator) painter_.emplace(std::move(decorator));
    // After initialize: with its own redisplay function, readline does not query the terminal.
    if (painter_ && wraps_lines()) *readline_.redisplay_function = redisplay;
  }

  ~ReadlineEditor() override { active_ = nullptr; }

  ReadResult read(const char* prompt, const std::string& indentation, std::string& line) override {
    interrupted_ = false;
    prompt_ = prompt;
    indentation_ = indentation;
    char* text = readline_.read_line(prompt);
    if (interrupted_) readline_.clear_message();  // of a search
    // If bracketed paste is on, readline ends the row itself when it turns it off.
    if (!text && !is_on("enable-bracketed-paste")) std::fputs("\n", stdout);
    std::fflush(stdout);
    line = text ? text : "";
    std::free(text);
    if (interrupted_) return ReadResult::kInterrupted;
    return text ? ReadResult::kLine : ReadResult::kEnd;
  }

  void remember(const std::string& entry) override { readline_.add_history(entry.c_str()); }

 private:
  /// Binds keys. Called before readline reads the user's settings, which may override them.
  void bind_keys() const {
    for (const char* up : {"\033[A", "\033OA"}) readline_.bind(up, readline_.search_backward);
    for (const char* down : {"\033[B", "\033OB"}) readline_.bind(down, readline_.search_forward);
    for (const char* enter : {"\r", "\n"}) readline_.bind(enter, accept_line);
  }

  /// Inserts the indentation, unless the line is already waiting as input and has its own.
  static int indent() {
    if (has_pending_keys()) active_->indentation_.clear();
    active_->readline_.insert_text(active_->indentation_.c_str());
    return 0;
  }

  /// Handles Enter: unindents a line that closes a block.
  static int accept_line(int count, int key) {
    const Readline& readline = active_->readline_;
    const std::string& indentation = active_->indentation_;
    const std::string line(*readline.line_buffer);
    if (line.starts_with(indentation) && begins_with_closer(line.substr(indentation.size()))) {
      const int removed = static_cast<int>(std::min(indentation.size(), kIndentation));
      readline.delete_text(0, removed);
      *readline.point = std::max(0, *readline.point - removed);
      (*readline.redisplay_function)();
    }
    return readline.accept_line(count, key);
  }

  /// Called by readline for each key. After Ctrl-C, returns no key until the line has ended.
  static int next_key(std::FILE* input) {
    constexpr unsigned long kReadsCommand =
        0x8;                        // RL_STATE_READCMD: only in this state errors end the line
    constexpr int kReadError = -2;  // READERR
    ReadlineEditor& editor = *active_;
    const Readline& readline = editor.readline_;
    const bool has_input = !editor.interrupted_ && wait_for_input();
    if (editor.painter_) editor.painter_->clear_hint(stdout);
    if (has_input) {
      const int key = readline.read_key(input);
      // Lines of pasted text may end in \r\n.
      const bool is_second = key == '\n' && std::exchange(editor.more_follows_return_, false);
      editor.more_follows_return_ = key == '\r' && has_pending_keys();
      return is_second ? next_key(input) : key;
    }
    if (!std::exchange(editor.interrupted_, true)) {
      *readline.point = *readline.end;  // ^C is printed after the line, not in it.
      readline.redisplay();
      std::fputs("^C", stdout);
      std::fflush(stdout);
    }
    return *readline.state & kReadsCommand ? kReadError : EOF;
  }

  /// Whether readline wraps long lines instead of scrolling them.
  bool wraps_lines() const {
    return readline_.terminal_capability("up") && !is_on("horizontal-scroll-mode");
  }

  /// Whether a readline setting exists and is on.
  bool is_on(const char* setting) const {
    const char* value = readline_.variable(setting);
    return value && std::strcmp(value, "on") == 0;
  }

  /// Whether more keys are pending: anything drawn now would be overwritten immediately.
  static bool has_pending_keys() {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
  }

  static void redisplay() {
    // Searches and numeric arguments show a different prompt: RL_STATE_ISEARCH, NSEARCH, SEARCH,
    // NUMERICARG and VIMOTION.
    constexpr unsigned long kOtherPrompt = 0x80 | 0x100 | 0x200 | 0x400 | 0x100000;
    const Readline& readline = active_->readline_;
    readline.redisplay();
    if ((*readline.state & kOtherPrompt) || has_pending_keys()) return;
    ShownLine shown = {active_->prompt_, *readline.line_buffer,
                       static_cast<size_t>(*readline.point)};
    readline.get_screen_size(&shown.rows, &shown.columns);
    active_->painter_->draw(shown, stdout);
  }

  static char** complete(const char* word, int begin, int end) {
    const Readline& readline = active_->readline_;
    *readline.completion_over = 1;  // suppresses readline's file name completion
    *readline.completion_append = 0;
    const std::string before(*readline.line_buffer, end);
    Completion found = active_->completer_(before);
    // A file name may contain word breaks; readline completes from the last of them.
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
      nullptr;  ///< for readline's callbacks, which take no user data

  Readline readline_;
  Completer completer_;
  std::optional<LinePainter> painter_;
  std::string prompt_;
  std::string indentation_;           ///< of the current line
  bool interrupted_ = false;          ///< whether Ctrl-C ended the line
  bool more_follows_return_ = false;  ///< whether the last key was \r and more keys were pending
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
