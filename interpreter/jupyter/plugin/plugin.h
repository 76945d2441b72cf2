// The interface of the plugin tide-jupyter.so: Jupyter's protocol, by xeus. The plugin does not
// depend on Lua; the program passes it a kernel.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tide::jupyter {

/// The representations of a value by MIME type; bytes if the type is not text.
using Forms = std::map<std::string, std::string>;
/// Of Forms: the alternative text of an image.
inline constexpr const char* kAlternative = "alt";

/// Functions of the front end that a kernel may call while an input runs. The protocol's texts are
/// UTF-8; invalid bytes are replaced.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  /// Shows printed text; `stream` is "stdout" or "stderr". Can be called from any thread.
  virtual void print(const char* stream, std::string text) = 0;

  /// Shows a value. With an `id` and `again`, replaces the value shown before with that id.
  virtual void show(const Forms& forms, const std::string& id, bool again) = 0;
  virtual void show_result(const Forms& forms) = 0;

  /// Clears the output of the input as soon as it shows more.
  virtual void clear() = 0;

  /// Asks the user for a line. None if the kernel is shut down or `is_interrupted`, which is
  /// polled, returns true.
  virtual std::optional<std::string> read_line(const std::function<bool()>& is_interrupted) = 0;
};

struct Error {
  std::string name;     ///< its kind, such as "SyntaxError"
  std::string message;  ///< prefixed with the line in the input
  std::vector<std::string> traceback;
};

struct Request {
  std::string code;
  int number = 0;        ///< of the input
  bool silent = false;   ///< show nothing
  bool stored = true;    ///< keep the input and its results
  bool may_read = true;  ///< FrontEnd::read_line may be called
};

struct Reply {
  std::optional<Error> error;
  std::string page;    ///< a help text to show in addition to the results; may be empty
  bool leave = false;  ///< the input ends the session
};

struct Candidates {
  size_t begin = 0;  ///< where the name to be completed begins
  std::vector<std::string> names;
};

enum class Completeness { kComplete, kIncomplete, kInvalid };

/// An interpreter of inputs. Positions are byte offsets. All calls come from one thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Reply execute(const Request& request, FrontEnd& front_end) = 0;

  /// Evaluates an expression without recording it; sets `forms`, or returns an error.
  virtual std::optional<Error> evaluate(const std::string& expression, Forms& forms) = 0;

  virtual Candidates complete(const std::string& before_cursor) = 0;

  /// Help on the name at a position.
  virtual std::optional<std::string> inspect(const std::string& code, size_t position) = 0;

  /// Whether a text can be run; sets `indent` to the indentation of the next line.
  virtual Completeness check(const std::string& code, std::string& indent) = 0;

  /// The inputs that were stored, with their numbers.
  virtual std::vector<std::pair<int, std::string>> inputs() = 0;
};

/// How the kernel presents itself.
struct Presentation {
  std::string version, lua_version, banner;
};

struct Plugin {
  /// Serves the front ends connected by the connection file until one requests shutdown. The
  /// calling thread must block SIGINT while no input runs. Throws std::exception.
  void (*serve)(const std::string& connection_file, const Presentation& presentation,
                Kernel& kernel);

  /// The text of the kernel.json by which Jupyter starts the program.
  std::string (*kernel_spec)(const std::string& program);
};

}  // namespace tide::jupyter
