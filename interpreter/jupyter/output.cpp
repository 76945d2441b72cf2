// A thread reads the pipes that replace standard output and standard error.
#include "interpreter/jupyter/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

namespace tide::jupyter {
namespace {

/// Small writes within this time become one message.
constexpr std::chrono::milliseconds kBetweenMessages(20);
constexpr int kPipeSize = 1 << 20;  ///< bytes that can be printed before the thread wakes up

int checked(int result) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), "capturing the output");
  return result;
}

/// The size of a text without an incomplete UTF-8 character at its end. Invalid bytes are kept.
size_t complete_size(const std::string& text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace

Output::Output() {
  std::fflush(nullptr);
  checked(pipe2(stop_, O_CLOEXEC));
  for (OutputStream& stream : streams_) {
    int ends[2];
    checked(pipe2(ends, O_CLOEXEC));
    fcntl(ends[1], F_SETPIPE_SZ, kPipeSize);
    checked(fcntl(ends[0], F_SETFL, O_NONBLOCK));
    stream.read_end = ends[0];
    stream.before = checked(fcntl(stream.number, F_DUPFD_CLOEXEC, 3));
    checked(dup2(ends[1], stream.number));
    close(ends[1]);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // as on a terminal
  thread_ = std::thread(&Output::run, this);
}

Output::~Output() {
  std::fflush(nullptr);
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
  for (OutputStream& stream : streams_) {
    dup2(stream.before, stream.number);
    close(stream.before);
    close(stream.read_end);
  }
}

void Output::begin(Print print) {
  const std::lock_guard lock(mutex_);
  print_ = std::move(print);
}

void Output::flush() {
  std::fflush(stdout);
  const std::lock_guard lock(mutex_);
  forward(false);
}

void Output::end() {
  std::fflush(stdout);
  const std::lock_guard lock(mutex_);
  forward(true);
  print_ = nullptr;
}

/// Reads and prints the available bytes, except an incomplete character at the end unless `all`.
void Output::forward(bool all) {
  char bytes[1 << 16];
  for (OutputStream& stream : streams_) {
    for (ssize_t count; (count = read(stream.read_end, bytes, sizeof bytes)) > 0;)
      stream.text.append(bytes, static_cast<size_t>(count));
    if (!print_ || stream.text.empty()) continue;
    std::string remainder =
        stream.text.substr(all ? stream.text.size() : complete_size(stream.text));
    stream.text.resize(stream.text.size() - remainder.size());
    if (!stream.text.empty()) print_(stream.name, std::exchange(stream.text, std::move(remainder)));
  }
}

void Output::run() {
  pollfd ends[] = {
      {streams_[0].read_end, POLLIN, 0}, {streams_[1].read_end, POLLIN, 0}, {stop_[0], POLLIN, 0}};
  while (poll(ends, 3, -1) < 0 || !ends[2].revents) {
    std::this_thread::sleep_for(kBetweenMessages);
    const std::lock_guard lock(mutex_);
    forward(false);
  }
}

}  // namespace tide::jupyter
