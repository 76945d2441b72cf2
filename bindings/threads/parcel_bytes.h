// Parcels as bytes, for their way to another process.
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

#include "bindings/threads/parcel.h"
#include "bindings/threads/shared_memory.h"

namespace tide::bindings {

/// What both ends of a connection call a channel that went over it.
struct ChannelName {
  bool of_reader;  ///< It lies in the process that reads this.
  uint64_t number;
};

/// Names channels, and finds them by their names.
class ChannelNames {
 public:
  /// Throws ArgumentError for a channel that cannot go over this connection.
  virtual ChannelName name(const std::shared_ptr<Channel>& channel) = 0;
  virtual std::shared_ptr<Channel> channel(ChannelName name) = 0;

 protected:
  ~ChannelNames() = default;
};

/// How many pieces of memory a payload may have: a system call takes not many more descriptors.
inline constexpr size_t kMostMemory = 240;

/// What goes over a connection: bytes, and the memory that they speak of.
struct Payload {
  std::string bytes;
  std::vector<std::shared_ptr<SharedMemory>> memory;
};

/// Writes numbers, texts and parcels one behind the other.
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
  /// Waits for the values of tensors. Throws what made them fail.
  void parcel(const Parcel& parcel, ChannelNames& channels);
  /// What another has written, in which no parcel comes behind one of this writer.
  void payload(Payload payload) {
    payload_.bytes += payload.bytes;
    for (auto& memory : payload.memory) payload_.memory.push_back(std::move(memory));
  }
  Payload take() { return std::move(payload_); }

 private:
  friend class ParcelBytes;
  Payload payload_;
};

/// Reads what a ByteWriter has written; throws Error for what ends too soon.
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
  /// All that is left.
  Payload rest() const { return {std::string(bytes_), {memory_.begin(), memory_.end()}}; }
  Parcel parcel(ChannelNames& channels);

 private:
  friend class ParcelBytes;
  std::string_view bytes(uint64_t size);
  const SharedMemory& memory();

  std::string_view bytes_;
  std::span<const std::shared_ptr<SharedMemory>> memory_;
};

}  // namespace tide::bindings
