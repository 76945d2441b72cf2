// Serialized values as bytes, for transfer to another process.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/threads/serialized_values.h"
#include "bindings/threads/shared_memory.h"

namespace tide::bindings {

/// The identity of a channel sent over a connection, used by both ends.
struct ChannelName {
  bool of_reader;  ///< it belongs to the reading process
  uint64_t number;
};

/// Maps channels to names and back.
class ChannelNames {
 public:
  /// Throws ArgumentError for a channel that cannot be sent over this connection.
  virtual ChannelName name(const std::shared_ptr<Channel>& channel) = 0;
  virtual std::shared_ptr<Channel> channel(ChannelName name) = 0;

 protected:
  ~ChannelNames() = default;
};

/// The maximum number of shared memory blocks in a payload: sendmsg accepts at most 253
/// descriptors.
inline constexpr size_t kMostMemory = 240;

/// The contents of a message: bytes, and the shared memory that they refer to.
struct Payload {
  std::string bytes;
  std::vector<std::shared_ptr<SharedMemory>> memory;
};

/// Writes numbers, strings and serialized values in sequence.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    payload_.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<uint64_t>(text.size());
    payload_.bytes.append(text);
  }
  /// Waits for the values of tensors. Throws their errors.
  void values(const SerializedValues& values, ChannelNames& channels);
  /// Appends a payload. Must not follow values() of this writer if it contains values.
  void payload(Payload payload) {
    payload_.bytes += payload.bytes;
    for (auto& memory : payload.memory) payload_.memory.push_back(std::move(memory));
  }
  Payload take() { return std::move(payload_); }

 private:
  friend class ValueCodec;
  Payload payload_;
};

/// Reads the output of a ByteWriter; throws Error if it is truncated.
class ByteReader {
 public:
  explicit ByteReader(const Payload& payload) : bytes_(payload.bytes), memory_(payload.memory) {}

  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return bytes(number<uint64_t>()); }
  /// The unread part.
  Payload remaining() const { return {std::string(bytes_), {memory_.begin(), memory_.end()}}; }
  SerializedValues values(ChannelNames& channels);

 private:
  friend class ValueCodec;
  std::string_view bytes(uint64_t size);
  const SharedMemory& memory();

  std::string_view bytes_;
  std::span<const std::shared_ptr<SharedMemory>> memory_;
};

}  // namespace tide::bindings
