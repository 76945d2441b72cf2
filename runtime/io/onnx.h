// ONNX files: messages of ONNX's schema of protocol buffers, turned into values of the caller's
// and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tide {

/// Takes in a message that is read: a stack of values. Fields that a message lacks are left
/// out; a repeated field is a table with places from 1.
class MessageBuilder {
 public:
  virtual ~MessageBuilder() = default;
  virtual void push_table() = 0;
  virtual void push_integer(int64_t value) = 0;
  virtual void push_number(double value) = 0;
  virtual void push_text(std::string_view text) = 0;
  /// Takes the value from the top of the stack into a field or place of the table below it.
  virtual void set_field(const std::string& name) = 0;
  virtual void set_place(int64_t place) = 0;
};

/// Where a message that is written comes from: a stack of values of which the top is asked.
/// Throws ArgumentError where a value is of the wrong kind.
class MessageSource {
 public:
  virtual ~MessageSource() = default;
  /// Pushes a field of the table at the top. False, and pushes nothing, if it is absent.
  virtual bool push_field(const std::string& name) = 0;
  /// Pushes a place of the list at the top, counted from 1.
  virtual void push_place(int64_t place) = 0;
  virtual void pop() = 0;
  virtual int64_t length() const = 0;
  virtual int64_t integer() const = 0;
  virtual double number() const = 0;
  virtual std::string_view text() const = 0;
};

/// Reads a message of a type such as "ModelProto" and leaves its table on the builder's stack. The
/// elements of every tensor are given as its field `raw_data`, in the type that it claims, however
/// the file holds them; whether they are as many as it claims is for the caller to check. Errors
/// call the bytes `name`. Throws FileError.
void read_onnx(std::string_view bytes, const std::string& name, const std::string& type,
               MessageBuilder& builder);

/// The bytes of a message whose table is at the top of the source's stack. Fields that the type
/// does not have are not looked at. Throws FileError.
std::string write_onnx(const std::string& type, MessageSource& source);

}  // namespace tide
