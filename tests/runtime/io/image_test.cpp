// Pictures: round trips, files of all kinds, and what is refused.
#include "runtime/io/image.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "runtime/types/error.h"
#include "tests/runtime/io/pictures.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Bytes = std::vector<int>;

Bytes bytes_of(const HostArray& image) {
  Bytes values;
  for (size_t i = 0; i < image.bytes(); ++i) values.push_back(static_cast<int>(image.data[i]));
  return values;
}

std::string pattern(int64_t count) {
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) bytes += static_cast<char>(i * 7 + i * i / 11);
  return bytes;
}

ArrayToWrite picture(const Shape& shape, const std::string& bytes) {
  return {"", DType::u8, shape, reinterpret_cast<const std::byte*>(bytes.data())};
}

HostArray decode(const std::string& bytes, const ImageRequest& request = {}) {
  return decode_image(bytes, "a.png", request);
}

ImageRequest in_mode(ImageMode mode) {
  ImageRequest request;
  request.mode = mode;
  return request;
}

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

/// The beginning of a PNG file with its checksum, up to the pixels: black and white ones.
std::string png_head(uint32_t width, uint32_t height) {
  const std::string header =
      "IHDR" + big_endian(width) + big_endian(height) + std::string("\1\0\0\0\0", 5);
  uint32_t sum = ~0u;
  for (const unsigned char c : header) {
    sum ^= c;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return "\x89PNG\r\n\x1a\n" + big_endian(13) + header + big_endian(~sum) + big_endian(9) + "IDAT";
}

}  // namespace

TEST_CASE("png keeps the pixels of pictures of 1 to 4 channels", "[io]") {
  for (int64_t channels = 1; channels <= 4; ++channels) {
    const Shape shape{channels, 7, 11};
    const std::string bytes = pattern(shape.numel());
    const HostArray image = decode(encode_png(picture(shape, bytes), 6, "encode_png"));
    CHECK(image.shape == shape);
    CHECK(std::memcmp(image.data.get(), bytes.data(), bytes.size()) == 0);
  }
}

TEST_CASE("jpeg comes near the pixels of smooth pictures", "[io]") {
  for (int64_t channels : {1, 3}) {
    const Shape shape{channels, 32, 48};
    std::string bytes;
    for (int64_t i = 0; i < shape.numel(); ++i) bytes += static_cast<char>(i % 48 * 5);
    const HostArray image = decode(encode_jpeg(picture(shape, bytes), 95, "encode_jpeg"));
    CHECK(image.shape == shape);
    int largest = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<int>(image.data[i]) -
                                           static_cast<unsigned char>(bytes[i])));
    CHECK(largest <= 6);
  }
}

TEST_CASE("an interlaced palette becomes colours, or its numbers where nothing changes", "[io]") {
  CHECK(decode(kInterlacedPng).shape == Shape{1, 3, 5});
  CHECK(Bytes(bytes_of(decode(kInterlacedPng))).at(3) == 3);
  const HostArray image = decode(kInterlacedPng, in_mode(ImageMode::rgb_alpha));
  CHECK(image.shape == Shape{4, 3, 5});
  const Bytes values = bytes_of(image);
  CHECK(Bytes(values.begin(), values.begin() + 15) ==
        Bytes{255, 0, 0, 10, 255, 0, 0, 10, 255, 0, 0, 10, 255, 0, 0});
  CHECK(Bytes(values.begin() + 45, values.begin() + 50) == Bytes{255, 128, 255, 255, 255});
  CHECK(decode(kInterlacedPng, in_mode(ImageMode::rgb)).shape == Shape{3, 3, 5});
  CHECK(decode(kInterlacedPng, in_mode(ImageMode::gray_alpha)).shape == Shape{2, 3, 5});
}

TEST_CASE("samples of 16 bits are rounded to 8, or stay whole where nothing changes", "[io]") {
  const HostArray whole = decode(kDeepPng);
  CHECK(whole.type == DType::i32);
  CHECK(bytes_of(whole) == Bytes{0, 128, 0, 0, 52, 18, 0, 0});
  CHECK(bytes_of(decode(kDeepPng, in_mode(ImageMode::gray))) == Bytes{128, 18});
  CHECK(bytes_of(decode(kDeepPng, in_mode(ImageMode::rgb_alpha))) ==
        Bytes{128, 18, 128, 18, 128, 18, 255, 255});
}

TEST_CASE("inks of a jpeg become colours", "[io]") {
  CHECK(decode(kCmykJpeg).shape == Shape{4, 1, 2});
  const Bytes values = bytes_of(decode(kCmykJpeg, in_mode(ImageMode::rgb)));
  CHECK(values == Bytes{204, 204, 0, 0, 204, 204});
  CHECK(decode(kCmykJpeg, in_mode(ImageMode::gray)).shape == Shape{1, 1, 2});
}

TEST_CASE("a picture is turned as its exif data say, if that is asked for", "[io]") {
  CHECK(decode(kTurnedJpeg).shape == Shape{1, 8, 16});
  ImageRequest request;
  request.apply_exif_orientation = true;
  const HostArray image = decode(kTurnedJpeg, request);
  CHECK(image.shape == Shape{1, 16, 8});
  CHECK(static_cast<int>(image.data[0]) < 20);
  CHECK(static_cast<int>(image.data[15 * 8]) > 235);
}

TEST_CASE("a jpeg is decoded at the least scale that is large enough", "[io]") {
  const std::string bytes(64 * 80, 'x');
  const std::string jpeg = encode_jpeg(picture({1, 64, 80}, bytes), 75, "encode_jpeg");
  const auto shape_for = [&](int64_t height, int64_t width) {
    ImageRequest request;
    request.min_height = height, request.min_width = width;
    return decode(jpeg, request).shape;
  };
  CHECK(shape_for(0, 0) == Shape{1, 64, 80});
  CHECK(shape_for(33, 1) == Shape{1, 64, 80});
  CHECK(shape_for(32, 40) == Shape{1, 32, 40});
  CHECK(shape_for(9, 20) == Shape{1, 16, 20});
  CHECK(shape_for(1, 1) == Shape{1, 8, 10});
}

TEST_CASE("a file that is not an image is refused by name", "[io]") {
  const auto fails_with = [](const std::string& bytes, const std::string& text,
                             const ImageRequest& request = {}) {
    CHECK_THROWS_WITH(decode(bytes, request),
                      ContainsSubstring("a.png: ") && ContainsSubstring(text));
    CHECK_THROWS_AS(decode(bytes, request), FileError);
  };
  ImageRequest png, jpeg, small;
  png.format = ImageFormat::png, jpeg.format = ImageFormat::jpeg, small.max_pixels = 44;
  fails_with("", "is empty");
  fails_with("hello", "is neither a PNG nor a JPEG file");
  fails_with("GIF89a", "it looks like a GIF file");
  fails_with(kCmykJpeg, "is not a PNG file but a JPEG file", png);
  fails_with(kDeepPng, "is not a JPEG file but a PNG file", jpeg);
  fails_with(kDeepPng.substr(0, kDeepPng.size() - 13), "is a damaged PNG picture: it is cut short");
  fails_with(kDeepPng.substr(0, 20), "is a damaged PNG picture: it is cut short");
  fails_with(kProgressiveJpeg.substr(0, kProgressiveJpeg.size() - 9),
             "is a damaged JPEG picture: Premature end");
  fails_with(kProgressiveJpeg, "has 5 x 9 pixels, more than max_pixels = 44", small);
  fails_with(png_head(40000, 40000), "has 40000 x 40000 pixels, more than max_pixels = 178956970");
  fails_with(png_head(8000, 8000), "it claims more pixels than it can hold");
}

TEST_CASE("only pictures of bytes can be encoded", "[io]") {
  const std::string bytes(48, 'x');
  CHECK_THROWS_WITH(encode_jpeg(picture({4, 3, 4}, bytes), 75, "write_jpeg"),
                    "write_jpeg: expected 1 or 3 channels, got shape (4, 3, 4)");
  CHECK_THROWS_WITH(encode_png(picture({3, 0, 4}, bytes), 6, "write_png"),
                    "write_png: the picture has no pixels: (3, 0, 4)");
  CHECK_THROWS_WITH(encode_png(picture({48}, bytes), 6, "write_png"),
                    "write_png: expected a picture (channels, height, width), got (48)");
  ArrayToWrite floats = picture({1, 3, 4}, bytes);
  floats.type = DType::f32;
  CHECK_THROWS_WITH(encode_png(floats, 6, "write_png"),
                    ContainsSubstring("write_png: expected a uint8 picture, got float32"));
}
