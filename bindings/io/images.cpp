// Images, for scripts/tide/vision/io.lua, which checks the arguments of scripts.
#include "bindings/io/images.h"

#include "bindings/io/arrays.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "runtime/io/image.h"
#include "runtime/os/file_replacement.h"
#include "runtime/os/memory_budget.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// The bytes of a string, or of a uint8 tensor, copied to `store`.
std::string_view bytes_of(lua_State* L, Value value, const std::string& function,
                          std::string* store) {
  if (const Tensor* tensor = find_tensor(L, value.index)) {
    if (tensor->dtype() != DType::u8)
      throw DTypeError(function + ": expected a uint8 tensor, got " +
                       std::string(name_of(tensor->dtype())));
    store->resize(static_cast<size_t>(tensor->numel()));
    tensor->read(store->data(), function.c_str());
    return *store;
  }
  if (lua_type(L, value.index) != LUA_TSTRING)
    throw_expected(L, value.index, function, "a uint8 tensor or a string of bytes");
  size_t length;
  const char* bytes = lua_tolstring(L, value.index, &length);
  return {bytes, length};
}

Tensor tensor_of_bytes(std::string_view bytes) {
  const auto count = static_cast<int64_t>(bytes.size());
  HostArray array(DType::u8, {count});
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(array.data.get()));
  return tensor_of(std::move(array), default_device());
}

/// The enumeration value of a word; `words` are in the enumeration's order.
template <class Enum, size_t kCount>
Enum value_of(std::string_view word, const std::string& function,
              const char* const (&words)[kCount], const char* expected) {
  for (size_t i = 0; i < kCount; ++i)
    if (word == words[i]) return static_cast<Enum>(i);
  throw ArgumentError(function + ": expected " + expected + ", got '" + std::string(word) + "'");
}

constexpr char kDecoder[] =
    "source, function, format, mode, max_pixels?, apply_exif_orientation?, min_height?, min_width?";

ImageRequest request_of(const std::string& function, std::string_view format, std::string_view mode,
                        std::optional<int64_t> max_pixels, bool apply_exif_orientation,
                        std::optional<int64_t> min_height, std::optional<int64_t> min_width) {
  constexpr const char* kFormats[] = {"any", "png", "jpeg"};
  constexpr const char* kModes[] = {"unchanged", "gray", "gray_alpha", "rgb", "rgb_alpha"};
  ImageRequest request;
  request.format = value_of<ImageFormat>(format, function, kFormats, "a format");
  request.mode = value_of<ImageMode>(
      mode, function, kModes, "mode to be 'unchanged', 'gray', 'gray_alpha', 'rgb' or 'rgb_alpha'");
  request.max_pixels = max_pixels.value_or(kDefaultMaxPixels);
  request.apply_exif_orientation = apply_exif_orientation;
  request.min_height = min_height.value_or(0);
  request.min_width = min_width.value_or(0);
  return request;
}

Tensor read_image(const std::string& path, const std::string& function, std::string_view format,
                  std::string_view mode, std::optional<int64_t> max_pixels,
                  bool apply_exif_orientation, std::optional<int64_t> min_height,
                  std::optional<int64_t> min_width) {
  const ImageRequest request =
      request_of(function, format, mode, max_pixels, apply_exif_orientation, min_height, min_width);
  return tensor_of(decode_image(read_whole_file(path).text(), path, request), default_device());
}

int decode(lua_State* L, Value source, const std::string& function, std::string_view format,
           std::string_view mode, std::optional<int64_t> max_pixels, bool apply_exif_orientation,
           std::optional<int64_t> min_height, std::optional<int64_t> min_width) {
  std::string store;
  const std::string_view bytes = bytes_of(L, source, function, &store);
  const ImageRequest request =
      request_of(function, format, mode, max_pixels, apply_exif_orientation, min_height, min_width);
  HostArray image = decode_image(bytes, function + ": data", request);
  push_tensor(L, tensor_of(std::move(image), default_device()));
  return 1;
}

/// `effort` is the level of a PNG file or the quality of a JPEG file.
std::string encoded(const Tensor& image, const std::string& function, std::string_view format,
                    int effort) {
  ArraysToWrite arrays;
  arrays.add("", image);
  // The encoded bytes are hardly larger; they exist twice, in the writer and as the result.
  const CountedMemory room(2 * arrays.arrays()[0].bytes());
  return format == "png" ? encode_png(arrays.arrays()[0], effort, function)
                         : encode_jpeg(arrays.arrays()[0], effort, function);
}

Tensor encode(const Tensor& image, const std::string& function, std::string_view format,
              int effort) {
  return tensor_of_bytes(encoded(image, function, format, effort));
}

void write_image(const std::string& path, const Tensor& image, const std::string& function,
                 std::string_view format, int effort) {
  replace_file(path, encoded(image, function, format, effort));
}

Tensor read_image_bytes(const std::string& path) {
  return tensor_of(read_whole_file(path), default_device());
}

int write_bytes(lua_State* L, const std::string& path, Value bytes, const std::string& function) {
  std::string store;
  replace_file(path, bytes_of(L, bytes, function, &store));
  return 0;
}

}  // namespace

std::span<const luaL_Reg> image_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<read_image, "read_image", kDecoder>,
      kNative<decode, "decode_image", kDecoder>,
      kNative<encode, "encode_image", "image, function, format, effort">,
      kNative<write_image, "write_image", "path, image, function, format, effort">,
      kNative<read_image_bytes, "read_bytes", "path">,
      kNative<write_bytes, "write_bytes", "path, bytes, function">,
  };
  return functions;
}

}  // namespace tide::bindings
