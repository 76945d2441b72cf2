// Images, for scripts/tide/vision/io.lua, which checks the arguments of scripts.
#include "bindings/io/images.h"

#include "bindings/io/arrays.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/arguments.h"
#include "runtime/io/image.h"
#include "runtime/os/file_replacement.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// The bytes at a stack index: of a string, or of a uint8 tensor, copied to `store`.
std::string_view bytes_at(lua_State* L, int index, const char* function, std::string* store) {
  if (const Tensor* tensor = find_tensor(L, index)) {
    if (tensor->dtype() != DType::u8)
      throw DTypeError(std::string(function) + ": expected a uint8 tensor, got " +
                       std::string(name_of(tensor->dtype())));
    store->resize(static_cast<size_t>(tensor->numel()));
    tensor->read(store->data(), function);
    return *store;
  }
  if (lua_type(L, index) != LUA_TSTRING)
    throw_expected(L, index, function, "a uint8 tensor or a string of bytes");
  size_t length;
  const char* bytes = lua_tolstring(L, index, &length);
  return {bytes, length};
}

Tensor tensor_of_bytes(std::string_view bytes) {
  const auto count = static_cast<int64_t>(bytes.size());
  HostArray array(DType::u8, {count});
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(array.data.get()));
  return tensor_of(std::move(array), default_device());
}

/// The enumeration value of the word at a stack index; `words` are in the enumeration's order.
template <class Enum, size_t kCount>
Enum word_at(lua_State* L, int index, const char* function, const char* const (&words)[kCount],
             const char* expected) {
  const std::string_view given = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (size_t i = 0; i < kCount; ++i)
    if (given == words[i]) return static_cast<Enum>(i);
  throw ArgumentError(std::string(function) + ": expected " + expected + ", got " +
                      (lua_type(L, index) == LUA_TSTRING ? "'" + std::string(given) + "'"
                                                         : std::string(type_name(L, index))));
}

/// format, mode, max_pixels, apply_exif_orientation, minimum height and width, starting at `index`.
ImageRequest request_at(lua_State* L, int index, const char* function) {
  constexpr const char* kFormats[] = {"any", "png", "jpeg"};
  constexpr const char* kModes[] = {"unchanged", "gray", "gray_alpha", "rgb", "rgb_alpha"};
  ImageRequest request;
  request.format = word_at<ImageFormat>(L, index, function, kFormats, "a format");
  request.mode =
      word_at<ImageMode>(L, index + 1, function, kModes,
                         "mode to be 'unchanged', 'gray', 'gray_alpha', 'rgb' or 'rgb_alpha'");
  request.max_pixels = luaL_optinteger(L, index + 2, kDefaultMaxPixels);
  request.apply_exif_orientation = lua_toboolean(L, index + 3);
  request.min_height = luaL_optinteger(L, index + 4, 0);
  request.min_width = luaL_optinteger(L, index + 5, 0);
  return request;
}

/// read_image(path, function, format, mode, max_pixels, exif, height, width)
int read_image(lua_State* L) {
  const std::string path = path_at(L, 1, text_at(L, 2));
  const ImageRequest request = request_at(L, 3, text_at(L, 2));
  push_tensor(
      L, tensor_of(decode_image(read_whole_file(path).text(), path, request), default_device()));
  return 1;
}

/// decode_image(bytes, function, format, mode, max_pixels, exif, height, width)
int decode(lua_State* L) {
  const char* const function = text_at(L, 2);
  std::string store;
  const std::string_view bytes = bytes_at(L, 1, function, &store);
  const ImageRequest request = request_at(L, 3, function);
  HostArray image = decode_image(bytes, std::string(function) + ": data", request);
  push_tensor(L, tensor_of(std::move(image), default_device()));
  return 1;
}

std::string encoded(lua_State* L, int index, const char* function) {
  ArraysToWrite arrays;
  arrays.add("", check_tensor(L, index, function));
  const std::string_view format = text_at(L, index + 2);
  const auto effort = static_cast<int>(lua_tointeger(L, index + 3));
  // The encoded bytes are hardly larger; they exist twice, in the writer and as the result.
  const CountedMemory room(2 * arrays.arrays()[0].bytes());
  return format == "png" ? encode_png(arrays.arrays()[0], effort, function)
                         : encode_jpeg(arrays.arrays()[0], effort, function);
}

/// encode_image(image, function, format, quality or level)
int encode(lua_State* L) {
  push_tensor(L, tensor_of_bytes(encoded(L, 1, text_at(L, 2))));
  return 1;
}

/// write_image(path, image, function, format, quality or level)
int write_image(lua_State* L) {
  const char* const function = text_at(L, 3);
  const std::string path = path_at(L, 1, function);
  replace_file(path, encoded(L, 2, function));
  return 0;
}

/// read_image_bytes(path, function)
int read_image_bytes(lua_State* L) {
  push_tensor(L, tensor_of(read_whole_file(path_at(L, 1, text_at(L, 2))), default_device()));
  return 1;
}

/// write_bytes(path, bytes, function)
int write_bytes(lua_State* L) {
  const char* const function = text_at(L, 3);
  const std::string path = path_at(L, 1, function);
  std::string store;
  replace_file(path, bytes_at(L, 2, function, &store));
  return 0;
}

}  // namespace

std::span<const luaL_Reg> image_functions() {
  static constexpr luaL_Reg functions[] = {
      {"read_image", guard<read_image>},       {"decode_image", guard<decode>},
      {"encode_image", guard<encode>},         {"write_image", guard<write_image>},
      {"read_bytes", guard<read_image_bytes>}, {"write_bytes", guard<write_bytes>},
  };
  return functions;
}

}  // namespace tide::bindings
