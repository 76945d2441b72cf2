// ONNX's messages through libonnx and protobuf's reflection.
#include "runtime/io/onnx/plugin.h"

#include <onnx/onnx_pb.h>

#include <climits>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/io/byte_file.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using onnx::TensorProto;

std::unique_ptr<Message> new_message(const std::string& type) {
  const Descriptor* const found =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("onnx." + type);
  if (!found) throw InternalError("ONNX has no message '" + type + "'");
  auto* const factory = google::protobuf::MessageFactory::generated_factory();
  return std::unique_ptr<Message>(factory->GetPrototype(found)->New());
}

// Reading -----------------------------------------------------------------------------------------

/// The values of a repeated field as elements of type T.
template <class T, class Numbers>
std::string elements_as(const Numbers& numbers) {
  std::string bytes(static_cast<size_t>(numbers.size()) * sizeof(T), '\0');
  auto* target = bytes.data();
  for (const auto number : numbers) {
    const T element = static_cast<T>(number);
    std::memcpy(target, &element, sizeof element);
    target += sizeof element;
  }
  return bytes;
}

/// The elements of a tensor without raw data, in its declared type; empty if that type has none, or
/// the values are in a field of another type.
std::string elements_of(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return elements_as<float>(tensor.float_data());
    case TensorProto::DOUBLE:
      return elements_as<double>(tensor.double_data());
    case TensorProto::INT64:
      return elements_as<int64_t>(tensor.int64_data());
    case TensorProto::INT32:
      return elements_as<int32_t>(tensor.int32_data());
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return elements_as<int16_t>(tensor.int32_data());
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return elements_as<int8_t>(tensor.int32_data());
    case TensorProto::UINT32:
      return elements_as<uint32_t>(tensor.uint64_data());
    case TensorProto::UINT64:
      return elements_as<uint64_t>(tensor.uint64_data());
    default:
      return {};
  }
}

/// Whether a field of a tensor contains elements.
bool holds_elements(int field) {
  return field == TensorProto::kFloatDataFieldNumber ||
         field == TensorProto::kInt32DataFieldNumber ||
         field == TensorProto::kInt64DataFieldNumber ||
         field == TensorProto::kDoubleDataFieldNumber ||
         field == TensorProto::kUint64DataFieldNumber || field == TensorProto::kRawDataFieldNumber;
}

void push_message(const Message& message, MessageBuilder& builder);

/// Pushes the value of a field, or element `place` of a repeated one.
void push_value(const Message& message, const FieldDescriptor* field, int place,
                MessageBuilder& builder) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field->is_repeated();
  const auto get = [&](auto one, auto of_many) {
    return repeated ? (reflection.*of_many)(message, field, place)
                    : (reflection.*one)(message, field);
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return builder.push_integer(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
    case FieldDescriptor::CPPTYPE_INT64:
      return builder.push_integer(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64));
    case FieldDescriptor::CPPTYPE_UINT64:
      return builder.push_integer(
          static_cast<int64_t>(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64)));
    case FieldDescriptor::CPPTYPE_ENUM:
      return builder.push_integer(
          get(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return builder.push_number(
          static_cast<double>(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return builder.push_number(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string buffer;
      return builder.push_text(
          repeated ? reflection.GetRepeatedStringReference(message, field, place, &buffer)
                   : reflection.GetStringReference(message, field, &buffer));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return push_message(repeated ? reflection.GetRepeatedMessage(message, field, place)
                                   : reflection.GetMessage(message, field),
                          builder);
    default:
      throw InternalError("an ONNX field is of an unknown kind: " + field->full_name());
  }
}

void push_message(const Message& message, MessageBuilder& builder) {
  const bool is_tensor = message.GetDescriptor() == TensorProto::descriptor();
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  builder.push_table();
  for (const FieldDescriptor* const field : fields) {
    if (is_tensor && holds_elements(field->number())) continue;
    if (field->is_repeated()) {
      builder.push_table();
      const int count = message.GetReflection()->FieldSize(message, field);
      for (int i = 0; i < count; ++i) {
        push_value(message, field, i, builder);
        builder.set_place(i + 1);
      }
    } else {
      push_value(message, field, 0, builder);
    }
    builder.set_field(field->name());
  }
  if (!is_tensor) return;
  const auto& tensor = static_cast<const TensorProto&>(message);
  if (tensor.has_raw_data())
    builder.push_text(tensor.raw_data());
  else
    builder.push_text(elements_of(tensor));
  builder.set_field("raw_data");
}

void read(std::string_view bytes, const std::string& name, const std::string& type,
          MessageBuilder& builder) {
  if (bytes.size() > INT_MAX) throw_file_error(name, "is larger than 2 GiB");
  google::protobuf::SetLogHandler(nullptr);  // errors are thrown, not printed
  const std::unique_ptr<Message> message = new_message(type);
  if (!message->ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw_file_error(name, "is damaged, or not an ONNX file");
  push_message(*message, builder);
}

// Writing -----------------------------------------------------------------------------------------

void fill_message(Message& message, MessageSource& source);

/// Sets a field, or appends to a repeated one, the value at the top of the source's stack.
void set_value(Message& message, const FieldDescriptor* field, MessageSource& source) {
  const Reflection& reflection = *message.GetReflection();
  const auto set = [&](auto one, auto of_many, auto value) {
    (reflection.*(field->is_repeated() ? of_many : one))(&message, field, value);
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set(&Reflection::SetInt32, &Reflection::AddInt32,
                 static_cast<int32_t>(source.integer()));
    case FieldDescriptor::CPPTYPE_INT64:
      return set(&Reflection::SetInt64, &Reflection::AddInt64, source.integer());
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(&Reflection::SetUInt64, &Reflection::AddUInt64,
                 static_cast<uint64_t>(source.integer()));
    case FieldDescriptor::CPPTYPE_ENUM:
      return set(&Reflection::SetEnumValue, &Reflection::AddEnumValue,
                 static_cast<int>(source.integer()));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set(&Reflection::SetFloat, &Reflection::AddFloat, static_cast<float>(source.number()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set(&Reflection::SetDouble, &Reflection::AddDouble, source.number());
    case FieldDescriptor::CPPTYPE_STRING:
      return set(&Reflection::SetString, &Reflection::AddString, std::string(source.text()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return fill_message(*(field->is_repeated() ? reflection.AddMessage(&message, field)
                                                 : reflection.MutableMessage(&message, field)),
                          source);
    default:
      throw InternalError("an ONNX field is of an unknown kind: " + field->full_name());
  }
}

void fill_message(Message& message, MessageSource& source) {
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    if (!source.push_field(field->name())) continue;
    if (field->is_repeated()) {
      const int64_t count = source.length();
      for (int64_t place = 1; place <= count; ++place) {
        source.push_place(place);
        set_value(message, field, source);
        source.pop();
      }
    } else {
      set_value(message, field, source);
    }
    source.pop();
  }
}

std::string write(const std::string& type, MessageSource& source) {
  const std::unique_ptr<Message> message = new_message(type);
  fill_message(*message, source);
  std::string bytes;
  if (message->ByteSizeLong() > INT_MAX || !message->SerializePartialToString(&bytes))
    throw FileError("an ONNX file holds at most 2 GiB");
  return bytes;
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::OnnxPlugin* tide_onnx_plugin() {
  static constexpr tide::OnnxPlugin plugin = {tide::read, tide::write};
  return &plugin;
}
