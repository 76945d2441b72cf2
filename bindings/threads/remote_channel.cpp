// Sends channel operations to the process that owns the channel.
#include "bindings/threads/remote_channel.h"

#include <string>

#include "bindings/threads/waiting.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// The outcome of a request; throws its error if it failed.
Outcome outcome_of(ByteReader& answer) {
  const auto outcome = answer.number<Outcome>();
  if (outcome == Outcome::failed) throw Error(std::string(answer.text()));
  return outcome;
}

}  // namespace

RemoteChannel::~RemoteChannel() {
  ByteWriter body;
  body.number(number_);
  body.number<uint64_t>(times_);
  connection_->send(Message::release, body.take());
}

bool RemoteChannel::push(SerializedValues values) {
  ByteWriter body;
  body.values(values, *connection_);
  const auto answer = connection_->request(Message::push, number_, body.take(), kForever);
  if (!answer) return false;
  ByteReader reader(*answer);
  return outcome_of(reader) == Outcome::done;
}

std::optional<SerializedValues> RemoteChannel::pop(double seconds) {
  if (const std::lock_guard lock(mutex_); !kept_.empty()) {
    std::optional<SerializedValues> values(std::move(kept_.front()));
    kept_.pop_front();
    return values;
  }
  const auto keep = [this](ByteReader answer) {
    if (answer.number<Outcome>() != Outcome::done) return;
    SerializedValues values = answer.values(*connection_);
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(values));
  };
  const auto answer = connection_->request(Message::pop, number_, {}, seconds, keep);
  if (!answer) return std::nullopt;
  ByteReader reader(*answer);
  if (outcome_of(reader) != Outcome::done) return std::nullopt;
  return reader.values(*connection_);
}

void RemoteChannel::close() {
  ByteWriter body;
  body.number(number_);
  connection_->send(Message::close, body.take());
}

RemoteChannel::State RemoteChannel::look() {
  const auto answer = connection_->request(Message::look, number_, {}, kForever);
  if (!answer) return {true, 0};
  ByteReader reader(*answer);
  outcome_of(reader);
  const bool closed = reader.number<bool>();
  return {closed, reader.number<uint64_t>()};
}

}  // namespace tide::bindings
