// Detects the format of an image and passes it to its plugin.
#include "runtime/io/image.h"

#include "runtime/io/byte_file.h"
#include "runtime/io/exif.h"
#include "runtime/io/jpeg/plugin.h"
#include "runtime/io/png/plugin.h"
#include "runtime/os/plugin_path.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8), kJpegSignature("\xff\xd8\xff", 3);

/// The largest height or width of the JPEG format.
constexpr int64_t kMaxJpegSize = 65500;

/// Other formats that users may pass by mistake, by their first bytes.
constexpr std::pair<std::string_view, const char*> kOtherFormats[] = {
    {"GIF8", "a GIF"}, {"BM", "a BMP"},    {"RIFF", "a WebP"},
    {"II*", "a TIFF"}, {"MM", "a TIFF"},   {"\xff\x0a", "a JPEG XL"},
    {"%PDF", "a PDF"}, {"<svg", "an SVG"}, {"<?xml", "an XML"},
};

template <class Plugin>
const Plugin& open_plugin(const char* file, const char* entry) {
  return *reinterpret_cast<const Plugin* (*)()>(plugin_entry(file, entry))();
}

const PngPlugin& png_plugin() {
  static const PngPlugin& plugin = open_plugin<PngPlugin>("tide-png.so", "tide_png_plugin");
  return plugin;
}

const JpegPlugin& jpeg_plugin() {
  static const JpegPlugin& plugin = open_plugin<JpegPlugin>("tide-jpeg.so", "tide_jpeg_plugin");
  return plugin;
}

[[noreturn]] void throw_wrong_format(std::string_view bytes, const std::string& name,
                                     ImageFormat wanted) {
  if (bytes.empty()) throw_file_error(name, "is empty");
  std::string text = wanted == ImageFormat::any   ? "is neither a PNG nor a JPEG file"
                     : wanted == ImageFormat::png ? "is not a PNG file"
                                                  : "is not a JPEG file";
  if (bytes.starts_with(kPngSignature)) text += " but a PNG file: decode_image reads both";
  if (bytes.starts_with(kJpegSignature)) text += " but a JPEG file: decode_image reads both";
  for (const auto& [head, kind] : kOtherFormats)
    if (bytes.starts_with(head)) text += std::string(" (it looks like ") + kind + " file)";
  throw_file_error(name, text);
}

ImageFormat format_of(std::string_view bytes, const std::string& name, ImageFormat wanted) {
  if (wanted != ImageFormat::jpeg && bytes.starts_with(kPngSignature)) return ImageFormat::png;
  if (wanted != ImageFormat::png && bytes.starts_with(kJpegSignature)) return ImageFormat::jpeg;
  throw_wrong_format(bytes, name, wanted);
}

void check_pixels(const ImageSize& size, const std::string& name, int64_t limit) {
  if (size.pixels() <= limit) return;
  throw_file_error(name, "has " + std::to_string(size.height) + " x " + std::to_string(size.width) +
                             " pixels, more than max_pixels = " + std::to_string(limit) +
                             ": pass a larger max_pixels if the picture can be trusted");
}

/// The reduction factor that keeps an image at least as large as requested.
int denominator_for(const ImageSize& size, const ImageRequest& request) {
  if (request.min_height <= 0 || request.min_width <= 0) return 1;
  int denominator = 8;
  while (denominator > 1 && (size.height / denominator < request.min_height ||
                             size.width / denominator < request.min_width))
    denominator /= 2;
  return denominator;
}

/// Throws unless the array is an image whose number of channels is accepted.
ImageSize checked_size(const ArrayToWrite& image, const std::string& function,
                       const std::string& channels_text, bool (*accepts)(int64_t channels)) {
  const Shape& shape = image.shape;
  if (image.type != DType::u8)
    throw DTypeError(function + ": expected a uint8 picture, got " +
                     std::string(name_of(image.type)) +
                     ": convert_image_dtype(image, \"uint8\") makes one");
  const int rank = shape.rank();
  if (rank != 2 && rank != 3)
    throw ShapeError(function + ": expected a picture (channels, height, width), got " +
                     shape.text());
  const int64_t channels = rank == 2 ? 1 : shape[0];
  if (!accepts(channels))
    throw ShapeError(function + ": expected " + channels_text + " channels, got shape " +
                     shape.text());
  if (shape.numel() == 0)
    throw ShapeError(function + ": the picture has no pixels: " + shape.text());
  return {shape[rank - 2], shape[rank - 1], static_cast<int>(channels)};
}

}  // namespace

HostArray decode_image(std::string_view bytes, const std::string& name,
                       const ImageRequest& request) {
  HostArray image;
  const PixelPlace place = [&](const ImageSize& size) {
    check_pixels(size, name, request.max_pixels);
    image = HostArray(size.wide ? DType::i32 : DType::u8, {size.channels, size.height, size.width});
    return image.data.get();
  };
  std::string exif;
  if (format_of(bytes, name, request.format) == ImageFormat::png) {
    exif = png_plugin().decode(bytes, name, request.mode, place);
  } else {
    const auto choose_denominator = [&](const ImageSize& size) {
      check_pixels(size, name, request.max_pixels);
      return denominator_for(size, request);
    };
    exif = jpeg_plugin().decode(bytes, name, request.mode, choose_denominator, place);
  }
  if (!request.apply_exif_orientation) return image;
  return upright(std::move(image), exif_orientation(exif));
}

HostArray read_whole_file(const std::string& path) {
  FileSource file(path);
  HostArray bytes(DType::u8, {static_cast<int64_t>(file.remaining())});
  file.read({bytes.data.get(), bytes.bytes()});
  return bytes;
}

std::string encode_png(const ArrayToWrite& image, int compression_level,
                       const std::string& function) {
  const ImageSize size = checked_size(
      image, function, "1 to 4", [](int64_t channels) { return channels >= 1 && channels <= 4; });
  return png_plugin().encode(image.data, size, compression_level, function);
}

std::string encode_jpeg(const ArrayToWrite& image, int quality, const std::string& function) {
  const ImageSize size = checked_size(
      image, function, "1 or 3", [](int64_t channels) { return channels == 1 || channels == 3; });
  if (size.height > kMaxJpegSize || size.width > kMaxJpegSize)
    throw ShapeError(function + ": a JPEG picture has at most " + std::to_string(kMaxJpegSize) +
                     " pixels in a row, got " + image.shape.text());
  return jpeg_plugin().encode(image.data, size, quality, function);
}

}  // namespace tide
