// Converts serialized values to bytes and back.
#include "bindings/threads/serialized_bytes.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "bindings/threads/channel.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide::bindings {

namespace {

/// Tensors of at least this size in bytes are sent in shared memory.
constexpr size_t kLeastShared = 1 << 18;

}  // namespace

/// Encodes and decodes the items.
class ValueCodec {
 public:
  static void write(const SerializedValues& values, ByteWriter& bytes, ChannelNames& channels) {
    bytes.number<uint64_t>(values.items_.size());
    for (const SerializedValues::Item& item : values.items_) {
      bytes.number<uint8_t>(static_cast<uint8_t>(item.index()));
      std::visit([&](const auto& value) { write_item(value, bytes, channels); }, item);
    }
    bytes.number<uint64_t>(values.values_.size());
    for (const uint32_t value : values.values_) bytes.number(value);
  }

  static SerializedValues read(ByteReader& bytes, ChannelNames& channels) {
    SerializedValues values;
    for (auto left = bytes.number<uint64_t>(); left > 0; --left)
      values.items_.push_back(read_any<0>(bytes.number<uint8_t>(), bytes, channels));
    for (auto left = bytes.number<uint64_t>(); left > 0; --left)
      values.values_.push_back(bytes.number<uint32_t>());
    return values;
  }

 private:
  template <class T>
  static constexpr bool kIsPlain =
      std::is_same_v<T, bool> || std::is_same_v<T, lua_Integer> || std::is_same_v<T, lua_Number> ||
      std::is_same_v<T, Device> || std::is_same_v<T, Generator>;
  template <class T>
  static constexpr bool kIsEmpty = std::is_empty_v<T>;

  template <class T>
  static void write_item(const T& value, ByteWriter& bytes, ChannelNames& channels) {
    if constexpr (kIsPlain<T>) {
      bytes.number(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      bytes.text(value);
    } else if constexpr (std::is_same_v<T, SerializedValues::Name>) {
      bytes.number<uint64_t>(value.path.size());
      for (const std::string& key : value.path) bytes.text(key);
    } else if constexpr (std::is_same_v<T, SerializedValues::Table>) {
      bytes.number<uint64_t>(value.pairs.size());
      for (const SerializedValues::Pair& pair : value.pairs) bytes.number(pair);
      bytes.number(value.length);
      bytes.number(value.metatable);
    } else if constexpr (std::is_same_v<T, SerializedValues::Function>) {
      bytes.text(value.code);
      bytes.number<uint64_t>(value.variables.size());
      for (const SerializedValues::Variable& variable : value.variables) bytes.number(variable);
    } else if constexpr (std::is_same_v<T, SerializedValues::Leaf>) {
      write_tensor(value, bytes);
    } else if constexpr (std::is_same_v<T, std::shared_ptr<Channel>>) {
      const ChannelName name = channels.name(value);
      bytes.number(name.of_reader);
      bytes.number(name.number);
    } else {
      static_assert(kIsEmpty<T>);
    }
  }

  static void write_tensor(const SerializedValues::Leaf& leaf, ByteWriter& bytes) {
    const Tensor x = leaf.tensor.tensor();
    bytes.number(leaf.requires_grad);
    bytes.number(x.device());
    bytes.number(x.dtype());
    bytes.number<uint8_t>(static_cast<uint8_t>(x.shape().rank()));
    for (const int64_t size : x.shape()) bytes.number(size);
    const size_t size = static_cast<size_t>(x.numel()) * size_of(x.dtype());
    Payload& payload = bytes.payload_;
    const bool shared = size >= kLeastShared && payload.memory.size() < kMostMemory;
    bytes.number(shared);
    if (shared) {
      payload.memory.push_back(std::make_shared<SharedMemory>(size));
      x.read(payload.memory.back()->map().get(), "process");
    } else {
      const size_t start = payload.bytes.size();
      payload.bytes.resize(start + size);
      x.read(payload.bytes.data() + start, "process");
    }
  }

  template <size_t kIndex>
  static SerializedValues::Item read_any(uint8_t index, ByteReader& bytes, ChannelNames& channels) {
    if constexpr (kIndex < std::variant_size_v<SerializedValues::Item>) {
      if (index != kIndex) return read_any<kIndex + 1>(index, bytes, channels);
      return read_item<std::variant_alternative_t<kIndex, SerializedValues::Item>>(bytes, channels);
    } else {
      throw Error("process: received a value of an unknown kind");
    }
  }

  template <class T>
  static T read_item(ByteReader& bytes, ChannelNames& channels) {
    if constexpr (kIsPlain<T>) {
      return bytes.number<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      return T(bytes.text());
    } else if constexpr (std::is_same_v<T, SerializedValues::Name>) {
      SerializedValues::Name name;
      for (auto left = bytes.number<uint64_t>(); left > 0; --left)
        name.path.emplace_back(bytes.text());
      return name;
    } else if constexpr (std::is_same_v<T, SerializedValues::Table>) {
      SerializedValues::Table table;
      for (auto left = bytes.number<uint64_t>(); left > 0; --left)
        table.pairs.push_back(bytes.number<SerializedValues::Pair>());
      table.length = bytes.number<uint32_t>();
      table.metatable = bytes.number<uint32_t>();
      return table;
    } else if constexpr (std::is_same_v<T, SerializedValues::Function>) {
      SerializedValues::Function function{std::string(bytes.text()), {}};
      for (auto left = bytes.number<uint64_t>(); left > 0; --left)
        function.variables.push_back(bytes.number<SerializedValues::Variable>());
      return function;
    } else if constexpr (std::is_same_v<T, SerializedValues::Leaf>) {
      return read_tensor(bytes);
    } else if constexpr (std::is_same_v<T, std::shared_ptr<Channel>>) {
      const bool of_reader = bytes.number<bool>();
      return channels.channel({of_reader, bytes.number<uint64_t>()});
    } else {
      return T();
    }
  }

  static SerializedValues::Leaf read_tensor(ByteReader& bytes) {
    const bool requires_grad = bytes.number<bool>();
    const auto device = bytes.number<Device>();
    const auto type = bytes.number<DType>();
    Shape shape;
    for (auto left = bytes.number<uint8_t>(); left > 0; --left)
      shape.push_back(bytes.number<int64_t>());
    const uint64_t size = static_cast<uint64_t>(shape.numel()) * size_of(type);
    if (!bytes.number<bool>()) {
      const void* const elements = bytes.bytes(size).data();
      return {SharedTensor(record_constant(elements, shape, type, device)), requires_grad};
    }
    const SharedMemory& memory = bytes.memory();
    if (memory.size() < size) throw Error("process: received shared memory that is too small");
    return {SharedTensor(record_constant(memory.map(), shape, type, device)), requires_grad};
  }
};

void ByteWriter::values(const SerializedValues& values, ChannelNames& channels) {
  ValueCodec::write(values, *this, channels);
}

SerializedValues ByteReader::values(ChannelNames& channels) {
  return ValueCodec::read(*this, channels);
}

std::string_view ByteReader::bytes(uint64_t size) {
  if (size > bytes_.size()) throw Error("process: received a truncated message");
  const std::string_view front = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return front;
}

const SharedMemory& ByteReader::memory() {
  if (memory_.empty()) throw Error("process: received a message without its shared memory");
  const SharedMemory& front = *memory_.front();
  memory_ = memory_.subspan(1);
  return front;
}

}  // namespace tide::bindings
