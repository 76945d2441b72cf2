// ONNX files: protocol buffer messages of ONNX's schema, converted to and from the caller's values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tide {

/// Receives a message that is read, as a stack of values. Absent fields are omitted; a repeated
/// field is a table with indices from 1.
class MessageBuilder {
 public:
  virtual ~MessageBuilder() = default;
  virtual void push_table() = 0;
  virtual void push_integer(int64_t value) = 0;
  virtual void push_number(double value) = 0;
  virtual void push_text(std::string_view text) = 0;
  /// Pops the value at the top of the stack into a field or index of the table below it.
  virtual void set_field(const std::string& name) = 0;
  virtual void set_place(int64_t place) = 0;
};

/// Provides a message to be written, as a stack of values; the functions access the top. Throws
/// ArgumentError if a value has the wrong type.
class MessageSource {
 public:
  virtual ~MessageSource() = default;
  /// Pushes a field of the table at the top. False, and pushes nothing, if it is absent.
  virtual bool push_field(const std::string& name) = 0;
  /// Pushes an element of the list at the top, by index from 1.
  virtual void push_place(int64_t place) = 0;
  virtual void pop() = 0;
  virtual int64_t length() const = 0;
  virtual int64_t integer() const = 0;
  virtual double number() const = 0;
  virtual std::string_view text() const = 0;
};

/// Reads a message of a type such as "ModelProto" and leaves its table on the builder's stack. The
/// elements of every tensor are returned as its field `raw_data`, in its declared type, however the
/// file stores them; the caller must check their number. Errors call the bytes `name`. Throws
/// FileError.
void read_onnx(std::string_view bytes, const std::string& name, const std::string& type,
               MessageBuilder& builder);

/// The bytes of a message whose table is at the top of the source's stack. Fields that the type
/// does not have are ignored. Throws FileError.
std::string write_onnx(const std::string& type, MessageSource& source);

}  // namespace tide
