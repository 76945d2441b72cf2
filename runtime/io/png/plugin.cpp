// PNG through libpng.
#include "runtime/io/png/plugin.h"

#include <png.h>

#include <cstring>
#include <vector>

#include "runtime/io/byte_file.h"

namespace tide {
namespace {

/// The highest compression ratio of deflate: an image that claims more is damaged.
constexpr int64_t kMaxExpansion = 1032;

/// The luminance weights of red and green; the remainder is blue's. As in torchvision.
constexpr double kRed = 0.2989, kGreen = 0.587;

/// libpng reports errors by longjmp. So all functions called by `attempt` work on this struct and
/// own nothing: objects with destructors belong to their callers.
struct Png {
  png_structp png = nullptr;
  png_infop info = nullptr;
  bool writes = false;
  std::string_view input;
  std::string* output = nullptr;
  ImageMode mode = ImageMode::unchanged;
  ImageSize size;
  int passes = 1, compression_level = 0;
  unsigned char* rows = nullptr;  ///< one row, or all of them if the image is interlaced
  std::byte* pixels = nullptr;
  char error[200] = {};

  Png() = default;
  Png(const Png&) = delete;
  ~Png() {
    if (png && writes) png_destroy_write_struct(&png, &info);
    if (png && !writes) png_destroy_read_struct(&png, &info, nullptr);
  }
};

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  auto* const self = static_cast<Png*>(png_get_error_ptr(png));
  std::strncpy(self->error, message, sizeof self->error - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

bool attempt(Png& self, void (*step)(Png&)) {
  if (setjmp(png_jmpbuf(self.png))) return false;
  step(self);
  return true;
}

void read_bytes(png_structp png, png_bytep target, size_t count) {
  auto* const self = static_cast<Png*>(png_get_io_ptr(png));
  if (count > self->input.size()) png_error(png, "it is cut short");
  std::memcpy(target, self->input.data(), count);
  self->input.remove_prefix(count);
}

/// Exceptions must not leave this function: libpng's frames cannot be unwound.
bool append(std::string* output, const char* bytes, size_t count) noexcept {
  try {
    output->append(bytes, count);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  auto* const self = static_cast<Png*>(png_get_io_ptr(png));
  if (!append(self->output, reinterpret_cast<const char*>(bytes), count))
    png_error(png, "out of memory");
}

void finish_header(Png& self, bool wide) {
  self.passes = png_set_interlace_handling(self.png);
  png_read_update_info(self.png, self.info);
  self.size = {png_get_image_height(self.png, self.info), png_get_image_width(self.png, self.info),
               png_get_channels(self.png, self.info), wide};
}

/// Reads everything before the pixels, and sets the output format.
void read_header(Png& self) {
  png_read_info(self.png, self.info);
  const int type = png_get_color_type(self.png, self.info);
  const bool has_palette = type == PNG_COLOR_TYPE_PALETTE;
  const bool has_color = type & PNG_COLOR_MASK_COLOR;
  const bool has_key = png_get_valid(self.png, self.info, PNG_INFO_tRNS);
  const bool has_alpha = (type & PNG_COLOR_MASK_ALPHA) || has_key;
  const ImageMode mode = self.mode;
  const bool unchanged = mode == ImageMode::unchanged;
  const bool wide = unchanged && png_get_bit_depth(self.png, self.info) == 16;
  if (!wide) png_set_scale_16(self.png);
  png_set_packing(self.png);
  if (has_palette && unchanged) return finish_header(self, wide);  // its palette indices
  if (has_palette) png_set_palette_to_rgb(self.png);
  if (!has_color) png_set_expand_gray_1_2_4_to_8(self.png);
  if (has_key) png_set_tRNS_to_alpha(self.png);

  const bool wants_color =
      unchanged ? has_color : mode == ImageMode::rgb || mode == ImageMode::rgb_alpha;
  const bool wants_alpha =
      unchanged ? has_alpha : mode == ImageMode::gray_alpha || mode == ImageMode::rgb_alpha;
  if (has_color && !wants_color) png_set_rgb_to_gray(self.png, PNG_ERROR_ACTION_NONE, kRed, kGreen);
  if (!has_color && wants_color) png_set_gray_to_rgb(self.png);
  if (has_alpha && !wants_alpha) png_set_strip_alpha(self.png);
  if (!has_alpha && wants_alpha) png_set_add_alpha(self.png, 0xff, PNG_FILLER_AFTER);
  finish_header(self, wide);
}

void read_pixels(Png& self) {
  const int64_t row_bytes = self.size.row_bytes();
  for (int pass = 1; pass <= self.passes; ++pass)
    for (int64_t y = 0; y < self.size.height; ++y) {
      unsigned char* const row = self.passes > 1 ? self.rows + y * row_bytes : self.rows;
      png_read_row(self.png, row, nullptr);
      if (pass == self.passes) put_row(row, self.size, y, self.pixels);
    }
  png_read_end(self.png, self.info);
}

std::string exif_of(Png& self) {
  png_bytep data = nullptr;
  png_uint_32 count = 0;
  if (!png_get_eXIf_1(self.png, self.info, &count, &data)) return {};
  return {reinterpret_cast<const char*>(data), count};
}

std::string decode(std::string_view bytes, const std::string& name, ImageMode mode,
                   const PixelPlace& place) {
  Png self;
  self.input = bytes;
  self.mode = mode;
  self.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &self, fail, ignore_warning);
  if (self.png) self.info = png_create_info_struct(self.png);
  if (!self.info) throw_file_error(name, "cannot be read: out of memory");
  png_set_read_fn(self.png, &self, read_bytes);
  // The caller limits the size of images, through `place`.
  png_set_user_limits(self.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // As elsewhere, gray values ignore the gamma and color profile of the file.
  constexpr unsigned char kColorChunks[] = "gAMA\0cHRM\0sRGB\0iCCP";
  png_set_keep_unknown_chunks(self.png, PNG_HANDLE_CHUNK_NEVER, kColorChunks, 4);
  const auto damaged = [&] {
    throw_file_error(name, std::string("is a damaged PNG picture: ") + self.error);
  };
  if (!attempt(self, read_header)) damaged();

  self.pixels = place(self.size);
  // Rows have at least one bit per pixel before expansion.
  if ((self.size.width + 7) / 8 * self.size.height / kMaxExpansion >
      static_cast<int64_t>(bytes.size()))
    throw_file_error(name, "is a damaged PNG picture: it claims more pixels than it can hold");
  const int64_t row_count = self.passes > 1 ? self.size.height : 1;
  std::vector<unsigned char> rows(static_cast<size_t>(row_count * self.size.row_bytes()));
  self.rows = rows.data();
  if (!attempt(self, read_pixels)) damaged();
  return exif_of(self);
}

void write_pixels(Png& self) {
  constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                            PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_compression_level(self.png, self.compression_level);
  png_set_IHDR(self.png, self.info, static_cast<png_uint_32>(self.size.width),
               static_cast<png_uint_32>(self.size.height), 8, kTypes[self.size.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(self.png, self.info);
  for (int64_t y = 0; y < self.size.height; ++y) {
    get_row(self.pixels, self.size, y, self.rows);
    png_write_row(self.png, self.rows);
  }
  png_write_end(self.png, self.info);
}

std::string encode(const std::byte* pixels, const ImageSize& size, int compression_level,
                   const std::string& function) {
  std::string output;
  std::vector<unsigned char> row(static_cast<size_t>(size.width * size.channels));
  Png self;
  self.writes = true;
  self.output = &output;
  self.size = size;
  self.compression_level = compression_level;
  self.rows = row.data();
  self.pixels = const_cast<std::byte*>(pixels);  // only read
  self.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &self, fail, ignore_warning);
  if (self.png) self.info = png_create_info_struct(self.png);
  if (!self.info) throw_file_error(function, "out of memory");
  png_set_write_fn(self.png, &self, write_bytes, nullptr);
  png_set_user_limits(self.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  if (!attempt(self, write_pixels)) throw_file_error(function, self.error);
  return output;
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::PngPlugin* tide_png_plugin() {
  static constexpr tide::PngPlugin plugin = {tide::decode, tide::encode};
  return &plugin;
}
