// Captures everything the process prints, for a front end.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tide::jupyter {

/// Replaces standard output and standard error during its lifetime. Text printed while no input
/// runs, such as by a script's thread, is kept for the next input.
class Output {
 public:
  /// Receives text as it arrives, from several threads but one at a time; `stream` is "stdout" or
  /// "stderr". Multibyte characters are never split.
  using Print = std::function<void(const char* stream, std::string text)>;

  /// Throws std::system_error.
  Output();
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Sends text to `print` from now on.
  void begin(Print print);

  /// Returns once `print` has received everything printed so far.
  void flush();

  /// Like flush; later text is kept for the next begin.
  void end();

 private:
  struct OutputStream {
    const char* name;
    int number;          ///< its descriptor: 1, 2
    int before = -1;     ///< a copy of the original descriptor
    int read_end = -1;   ///< of the pipe that replaces it
    std::string text{};  ///< read but not yet printed
  };

  void forward(bool all);
  void run();

  OutputStream streams_[2] = {{"stdout", 1}, {"stderr", 2}};
  int stop_[2];  ///< a pipe: closing it ends the thread
  std::mutex mutex_;
  Print print_;
  std::thread thread_;
};

}  // namespace tide::jupyter
