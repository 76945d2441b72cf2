// Work on a stream that is not a device's first.
#pragma once

#include "runtime/record/engine.h"

namespace tide::test {

/// Work goes to a stream as long as this lives.
class OnStream {
 public:
  explicit OnStream(engine::StreamId stream) : before_(engine::stream_choice()) {
    engine::StreamChoice choice = before_;
    choice.choose(stream);
    engine::choose_streams(choice);
  }
  ~OnStream() { engine::choose_streams(before_); }
  OnStream(const OnStream&) = delete;

 private:
  engine::StreamChoice before_;
};

}  // namespace tide::test
