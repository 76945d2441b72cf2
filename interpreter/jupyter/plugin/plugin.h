// What the plugin tide-jupyter.so offers: Jupyter's protocol, by xeus. It knows no Lua; the program
// gives it a kernel to ask.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tide::jupyter {

/// The forms of a value by MIME type. Those of types that are no text are bytes.
using Forms = std::map<std::string, std::string>;

/// What a kernel may ask of the front end while an input runs. All texts of the protocol are UTF-8;
/// other bytes are replaced.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  /// Shows text that was printed; `stream` is "stdout" or "stderr". From any thread.
  virtual void print(const char* stream, std::string text) = 0;

  /// Shows a value. With an `id` it can be shown `again` later: in the place of the one before.
  virtual void show(const Forms& forms, const std::string& id, bool again) = 0;
  virtual void show_result(const Forms& forms) = 0;

  /// Takes away what the input has shown, as soon as it shows more.
  virtual void clear() = 0;

  /// Asks the user for a line. None if `is_interrupted` comes to hold, which is asked now and then,
  /// or the kernel is to end.
  virtual std::optional<std::string> read_line(const std::function<bool()>& is_interrupted) = 0;
};

struct Error {
  std::string name;     ///< its kind: "SyntaxError"
  std::string message;  ///< with the input's line in front
  std::vector<std::string> traceback;
};

struct Request {
  std::string code;
  int number = 0;        ///< of the input
  bool silent = false;   ///< show nothing
  bool stored = true;    ///< the input and its results are kept
  bool may_read = true;  ///< FrontEnd::read_line may be called
};

struct Reply {
  std::optional<Error> error;
  std::string page;    ///< a help text to be shown beside the results, if there is one
  bool leave = false;  ///< the input asks for the end of the session
};

struct Candidates {
  size_t begin = 0;  ///< where the name begins that they complete
  std::vector<std::string> names;
};

enum class Completeness { kComplete, kIncomplete, kInvalid };

/// An interpreter of inputs. Positions are counted in bytes. Calls come from one thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Reply execute(const Request& request, FrontEnd& front_end) = 0;

  /// Computes an expression aside; the forms of its values, or what went wrong.
  virtual std::optional<Error> evaluate(const std::string& expression, Forms& forms) = 0;

  virtual Candidates complete(const std::string& before_cursor) = 0;

  /// Help on the name at a position.
  virtual std::optional<std::string> inspect(const std::string& code, size_t position) = 0;

  /// Whether a text can be run; `indent` becomes the beginning of a next line.
  virtual Completeness check(const std::string& code, std::string& indent) = 0;

  /// The inputs that were stored, with their numbers.
  virtual std::vector<std::pair<int, std::string>> inputs() = 0;
};

/// How the kernel presents itself.
struct Presentation {
  std::string version, lua_version, banner;
};

struct Plugin {
  /// Serves the front ends that know the connection file, until one asks for the end. While no
  /// input runs the calling thread must block SIGINT. Throws std::exception.
  void (*serve)(const std::string& connection_file, const Presentation& presentation,
                Kernel& kernel);

  /// The text of the kernel.json by which Jupyter starts the program.
  std::string (*kernel_spec)(const std::string& program);
};

}  // namespace tide::jupyter
