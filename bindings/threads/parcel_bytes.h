// Parcels as bytes, for their way to another process.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bindings/threads/parcel.h"

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

/// Writes numbers, texts and parcels one behind the other.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<uint64_t>(text.size());
    bytes_.append(text);
  }
  /// Waits for the values of tensors. Throws what made them fail.
  void parcel(const Parcel& parcel, ChannelNames& channels);
  /// Room for so many bytes, which the caller fills.
  char* room(size_t size) {
    const size_t start = bytes_.size();
    bytes_.resize(start + size);
    return bytes_.data() + start;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter has written; throws Error for bytes that end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return bytes(number<uint64_t>()); }
  /// The next bytes, so many of them.
  std::string_view bytes(uint64_t size);
  /// All that is left.
  std::string_view rest() { return bytes(bytes_.size()); }
  Parcel parcel(ChannelNames& channels);

 private:
  std::string_view bytes_;
};

}  // namespace tide::bindings
