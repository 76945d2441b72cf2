// Reads and writes messages, and serves requests for channels.
#include "bindings/threads/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "bindings/support/entry.h"
#include "bindings/threads/remote_channel.h"
#include "bindings/threads/waiting.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

uint64_t number_of(const std::shared_ptr<LocalChannel>& channel) {
  return reinterpret_cast<uintptr_t>(channel.get());
}

Payload answer_of(uint64_t number, Outcome outcome, std::string_view text = {}) {
  ByteWriter answer;
  answer.number(number);
  answer.number(outcome);
  answer.text(text);
  return answer.take();
}

}  // namespace

struct Connection::Head {
  uint64_t size;
  Message message;
};

Connection::~Connection() { close(socket_); }

void Connection::start(Owner owner) {
  owner_ = std::move(owner);
  writer_ = std::thread([this] { serve_and_write(); });
  reader_ = std::thread([this] { read(); });
}

void Connection::send(Message message, Payload body) {
  const std::lock_guard lock(mutex_);
  queue(message, std::move(body));
}

/// Requires the mutex.
void Connection::queue(Message message, Payload body) {
  outgoing_.push_back({message, std::move(body)});
  work_.notify_one();
}

void Connection::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    work_.notify_one();
  }
  if (writer_.joinable()) writer_.join();
  cut();
}

void Connection::cut() {
  shutdown(socket_, SHUT_RDWR);
  if (reader_.joinable()) reader_.join();
  if (writer_.joinable()) writer_.join();
}

std::optional<Payload> Connection::request(Message message, uint64_t channel, Payload body,
                                           double seconds, const Late& late) {
  std::unique_lock lock(mutex_);
  const uint64_t number = ++last_number_;
  Waiting& waiting = waiting_[number];
  const auto answered = [&] { return waiting.answered || ended_; };
  const auto take = [&]() -> std::optional<Payload> {
    auto taken = waiting_.extract(number);
    if (!taken.mapped().answered) return std::nullopt;
    return std::move(taken.mapped().answer);
  };
  const auto ask = [&](Message what, Payload content) {
    ByteWriter whole;
    whole.number(number);
    whole.number(channel);
    whole.payload(std::move(content));
    queue(what, whole.take());
  };
  ask(message, std::move(body));
  const auto withdraw = [&] {
    ask(Message::withdraw, {});
    answered_.wait(lock, answered);
  };
  try {
    if (!wait_until(lock, answered_, seconds, answered)) withdraw();
  } catch (...) {
    withdraw();
    const std::optional<Payload> answer = take();
    lock.unlock();
    if (answer && late) late(ByteReader(*answer));
    throw;
  }
  return take();
}

void Connection::channel_changed() {
  const std::lock_guard lock(mutex_);
  look_again_ = true;
  work_.notify_one();
}

ChannelName Connection::name(const std::shared_ptr<Channel>& channel) {
  if (const auto* remote = dynamic_cast<const RemoteChannel*>(channel.get())) {
    if (remote->goes_over(*this)) return {true, remote->number()};
    throw ArgumentError("process: a channel of another process cannot be sent to a third one");
  }
  const auto local = std::static_pointer_cast<LocalChannel>(channel);
  local->watch(shared_from_this());
  const std::lock_guard lock(mutex_);
  Lent& lent = lent_[number_of(local)];
  lent.channel = local;
  ++lent.times;
  return {false, number_of(local)};
}

std::shared_ptr<Channel> Connection::channel(ChannelName name) {
  if (name.of_reader) {
    if (auto channel = lent(name.number)) return channel;
    throw Error("process: received an unknown channel");
  }
  std::unique_lock lock(mutex_);
  std::weak_ptr<RemoteChannel>& known = remote_[name.number];
  auto channel = known.lock();
  if (!channel) {
    channel = std::make_shared<RemoteChannel>(shared_from_this(), name.number);
    known = channel;
  }
  channel->came();
  lock.unlock();
  return channel;
}

std::shared_ptr<LocalChannel> Connection::lent(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = lent_.find(number);
  return found == lent_.end() ? nullptr : found->second.channel;
}

void Connection::read() {
  try {
    Head head;
    Payload body;
    while (read_head(head, body.memory)) {
      body.bytes.resize(head.size);
      if (!read_bytes(body.bytes.data(), body.bytes.size())) break;
      take(head.message, ByteReader(body));
    }
  } catch (const std::exception&) {
    shutdown(socket_, SHUT_RDWR);  // After an invalid message the stream is out of sync.
  }
  note_end();
  owner_.ended();
}

/// Reads a header and the descriptors sent with it.
bool Connection::read_head(Head& head, std::vector<std::shared_ptr<SharedMemory>>& memory) {
  memory.clear();
  alignas(cmsghdr) char control[CMSG_SPACE(kMostMemory * sizeof(int))];
  iovec part{&head, sizeof head};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count;
  do count = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  for (cmsghdr* item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    const auto* descriptors = reinterpret_cast<const int*>(CMSG_DATA(item));
    const size_t number = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < number; ++i)
      memory.push_back(SharedMemory::of_descriptor(descriptors[i]));
  }
  const auto got = static_cast<size_t>(count);
  return read_bytes(reinterpret_cast<char*>(&head) + got, sizeof head - got);
}

bool Connection::read_bytes(char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = recv(socket_, bytes, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void Connection::take(Message message, ByteReader body) {
  switch (message) {
    case Message::push:
    case Message::pop:
    case Message::look:
    case Message::withdraw:
      take_request(message, body);
      break;
    case Message::close:
      if (const auto channel = lent(body.number<uint64_t>())) channel->close();
      break;
    case Message::release: {
      const auto channel = body.number<uint64_t>();
      take_release(channel, body.number<uint64_t>());
      break;
    }
    case Message::answer:
      take_answer(body);
      break;
    default:
      owner_.receive(message, body);
  }
}

void Connection::take_request(Message message, ByteReader body) {
  const auto number = body.number<uint64_t>();
  const auto channel = body.number<uint64_t>();
  try {
    Request request{message, number, lent(channel), {}};
    if (message == Message::push) request.values = body.values(*this);
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    work_.notify_one();
  } catch (const Error& error) {  // Such as a tensor on a missing device.
    send(Message::answer, answer_of(number, Outcome::failed, error.what()));
  }
}

void Connection::take_answer(ByteReader body) {
  const auto number = body.number<uint64_t>();
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return;
  found->second.answer = body.remaining();
  found->second.answered = true;
  answered_.notify_all();
}

void Connection::take_release(uint64_t channel, uint64_t times) {
  std::shared_ptr<LocalChannel>
      last;  // Destroyed after the lock is released: its items may hold channels.
  const std::lock_guard lock(mutex_);
  const auto found = lent_.find(channel);
  if (found == lent_.end()) return;
  found->second.times -= times;
  if (found->second.times > 0) return;
  last = std::move(found->second.channel);
  lent_.erase(found);
}

void Connection::note_end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  answered_.notify_all();
  work_.notify_one();
}

void Connection::serve_and_write() {
  std::unique_lock lock(mutex_);
  while (!ended_ && !(finishing_ && outgoing_.empty())) {
    work_.wait(lock, [&] {
      return ended_ || finishing_ || look_again_ || !outgoing_.empty() || !requests_.empty();
    });
    std::deque<Frame> frames = std::exchange(outgoing_, {});
    std::deque<Request> incoming = std::exchange(requests_, {});
    look_again_ = false;
    lock.unlock();
    serve(std::move(incoming), frames);
    // If the other end is gone, the reader thread detects it.
    for (const Frame& frame : frames)
      if (!write(frame)) break;
    lock.lock();
  }
}

void Connection::serve(std::deque<Request> incoming, std::deque<Frame>& answers) {
  for (Request& request : incoming) {
    if (request.message != Message::withdraw) {
      unanswered_.push_back(std::move(request));
      continue;
    }
    // A request that is not found has been answered already.
    const auto withdrawn = [&](const Request& other) { return other.number == request.number; };
    if (unanswered_.remove_if(withdrawn) > 0)
      answers.push_back({Message::answer, answer_of(request.number, Outcome::withdrawn)});
  }
  for (auto request = unanswered_.begin(); request != unanswered_.end();) {
    std::optional<Payload> answer = serve(*request);
    if (!answer) {
      ++request;
      continue;
    }
    answers.push_back({Message::answer, std::move(*answer)});
    request = unanswered_.erase(request);
  }
}

/// The answer to a request; none if it has to wait.
std::optional<Payload> Connection::serve(Request& request) try {
  LocalChannel* const channel = request.channel.get();
  if (request.message == Message::look) {
    ByteWriter answer;
    answer.number(request.number);
    answer.number(Outcome::done);
    answer.number(!channel || channel->closed());
    answer.number<uint64_t>(channel ? channel->size() : 0);
    return answer.take();
  }
  if (request.message == Message::push) {
    const std::optional<bool> pushed = channel ? channel->try_push(request.values) : false;
    if (!pushed) return std::nullopt;
    return answer_of(request.number, *pushed ? Outcome::done : Outcome::closed);
  }
  // In this order, because a closed channel receives nothing.
  const bool closed = !channel || channel->closed();
  const std::optional<SerializedValues> values = channel ? channel->try_pop() : std::nullopt;
  if (values) {
    ByteWriter answer;
    answer.number(request.number);
    answer.number(Outcome::done);
    answer.values(*values, *this);
    return answer.take();
  }
  if (closed) return answer_of(request.number, Outcome::closed);
  return std::nullopt;
} catch (const Error& error) {
  return answer_of(request.number, Outcome::failed, error.what());
}

bool Connection::write(const Frame& frame) {
  return write_head(frame) && write_bytes(frame.body.bytes.data(), frame.body.bytes.size());
}

bool Connection::write_head(const Frame& frame) {
  Head head{frame.body.bytes.size(), frame.message};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostMemory * sizeof(int))] = {};
  iovec part{&head, sizeof head};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (const size_t number = frame.body.memory.size(); number > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(number * sizeof(int));
    cmsghdr* const item = CMSG_FIRSTHDR(&message);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(number * sizeof(int));
    auto* const descriptors = reinterpret_cast<int*>(CMSG_DATA(item));
    for (size_t i = 0; i < number; ++i) descriptors[i] = frame.body.memory[i]->descriptor();
  }
  ssize_t count;
  do count = sendmsg(socket_, &message, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  const auto sent = static_cast<size_t>(count);
  return write_bytes(reinterpret_cast<const char*>(&head) + sent, sizeof head - sent);
}

bool Connection::write_bytes(const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = ::send(socket_, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

}  // namespace tide::bindings
