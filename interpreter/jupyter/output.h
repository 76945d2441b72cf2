// What is printed by anyone in the process, on its way to a front end.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tide::jupyter {

/// Takes the place of standard output and standard error for as long as it lives. What is printed
/// while no input runs, by a thread of a script for instance, waits for the next one.
class Output {
 public:
  /// Gets text as it comes, from several threads but one at a time; `stream` is "stdout" or
  /// "stderr". Letters of several bytes come whole.
  using Print = std::function<void(const char* stream, std::string text)>;

  /// Throws std::system_error.
  Output();
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// From now on text goes to `print`.
  void begin(Print print);

  /// Returns when `print` has had all that was printed so far.
  void flush();

  /// As flush; then text waits for the next begin.
  void end();

 private:
  struct Stream {
    const char* name;
    int number;          ///< its descriptor: 1, 2
    int before = -1;     ///< where it went before
    int read_end = -1;   ///< of the pipe that took its place
    std::string text{};  ///< that was read and not printed
  };

  void forward(bool whole);
  void run();

  Stream streams_[2] = {{"stdout", 1}, {"stderr", 2}};
  int stop_[2];  ///< a pipe: its end ends the thread
  std::mutex mutex_;
  Print print_;
  std::thread thread_;
};

}  // namespace tide::jupyter
