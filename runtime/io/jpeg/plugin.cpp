// JPEG through libjpeg-turbo.
#include "runtime/io/jpeg/plugin.h"

#include <setjmp.h>
// Each of these requires the previous one.
// clang-format off
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/io/byte_file.h"

namespace tide {
namespace {

/// A progressive image may have any number of scans, each of which costs a pass over all pixels.
constexpr int kMaxScans = 500;

constexpr std::string_view kExifHead("Exif\0\0", 6);

/// libjpeg reports errors by longjmp. So all functions called by `attempt` work on these structs
/// and own nothing: objects with destructors belong to their callers.
struct Failure {
  jpeg_error_mgr manager = {};
  jmp_buf place;
  char text[JMSG_LENGTH_MAX] = {};
  char warning[JMSG_LENGTH_MAX] = {};  ///< the first warning about wrong pixels
};

[[noreturn]] void fail(j_common_ptr jpeg) {
  auto* const failure = reinterpret_cast<Failure*>(jpeg->err);
  jpeg->err->format_message(jpeg, failure->text);
  longjmp(failure->place, 1);
}

/// A truncated file has lost pixels. Files with other damage have some wrong ones.
void warn(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  if (jpeg->err->msg_code == JWRN_JPEG_EOF) fail(jpeg);
  auto* const failure = reinterpret_cast<Failure*>(jpeg->err);
  if (!failure->warning[0]) jpeg->err->format_message(jpeg, failure->warning);
}

void print_nothing(j_common_ptr) {}

void set_up(Failure& failure) {
  jpeg_std_error(&failure.manager);
  failure.manager.error_exit = fail;
  failure.manager.emit_message = warn;
  failure.manager.output_message = print_nothing;
}

struct Decoder {
  Failure failure;
  jpeg_decompress_struct jpeg = {};
  jpeg_progress_mgr progress = {};
  std::string_view input;
  ImageMode mode = ImageMode::unchanged;
  int denominator = 1;
  ImageSize size;
  unsigned char* row = nullptr;
  unsigned char* converted = nullptr;  ///< a row with the requested channels
  std::byte* pixels = nullptr;

  Decoder() { set_up(failure); }
  Decoder(const Decoder&) = delete;
  ~Decoder() {
    if (jpeg.mem) jpeg_destroy_decompress(&jpeg);
  }
};

template <class Self>
bool attempt(Self& self, void (*step)(Self&)) {
  if (setjmp(self.failure.place)) return false;
  step(self);
  return true;
}

void limit_scans(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMaxScans)
    ERREXIT(jpeg, JERR_BAD_PROGRESSION);
}

void read_header(Decoder& self) {
  self.jpeg.err = &self.failure.manager;
  jpeg_create_decompress(&self.jpeg);
  self.progress.progress_monitor = limit_scans;
  self.jpeg.progress = &self.progress;
  jpeg_mem_src(&self.jpeg, reinterpret_cast<const unsigned char*>(self.input.data()),
               self.input.size());
  jpeg_save_markers(&self.jpeg, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&self.jpeg, TRUE);
  self.size = {self.jpeg.image_height, self.jpeg.image_width, self.jpeg.num_components};
}

bool is_cmyk(const jpeg_decompress_struct& jpeg) {
  return jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
}

int channels_of(ImageMode mode, const jpeg_decompress_struct& jpeg) {
  switch (mode) {
    case ImageMode::gray:
      return 1;
    case ImageMode::gray_alpha:
      return 2;
    case ImageMode::rgb:
      return 3;
    case ImageMode::rgb_alpha:
      return 4;
    default:
      return jpeg.num_components == 1 ? 1 : is_cmyk(jpeg) ? 4 : 3;
  }
}

/// Sets the output format, and determines the size of the image.
void start(Decoder& self) {
  jpeg_decompress_struct& jpeg = self.jpeg;
  const int channels = channels_of(self.mode, jpeg);
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(self.denominator);
  jpeg.out_color_space = is_cmyk(jpeg) ? JCS_CMYK : channels < 3 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(&jpeg);
  self.size = {jpeg.output_height, jpeg.output_width, channels};
}

unsigned char product(int a, int b) {
  const int v = a * b + 128;
  return static_cast<unsigned char>((v + (v >> 8)) >> 8);
}

/// Converts libjpeg's row to the requested channels. CMYK files are inverted: 255 means no ink.
void convert_row(Decoder& self) {
  const int given = self.jpeg.output_components, channels = self.size.channels;
  const unsigned char* source = self.row;
  unsigned char* target = self.converted;
  const bool inverted = self.jpeg.saw_Adobe_marker;
  for (int64_t x = 0; x < self.size.width; ++x, source += given, target += channels) {
    unsigned char rgb[3] = {source[0], source[given > 1], source[given > 2 ? 2 : 0]};
    if (given == 4) {
      const int flip = inverted ? 0 : 255;
      for (int i = 0; i < 3; ++i) rgb[i] = product(source[i] ^ flip, source[3] ^ flip);
    }
    if (channels > 2)
      std::memcpy(target, rgb, 3);
    else if (given == 4)
      target[0] = static_cast<unsigned char>(
          (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
    else
      target[0] = rgb[0];
    if (channels % 2 == 0) target[channels - 1] = 255;
  }
}

void read_pixels(Decoder& self) {
  jpeg_start_decompress(&self.jpeg);
  const bool same = self.jpeg.output_components == self.size.channels &&
                    (self.size.channels != 4 || self.mode == ImageMode::unchanged);
  while (self.jpeg.output_scanline < self.jpeg.output_height) {
    const int64_t y = self.jpeg.output_scanline;
    jpeg_read_scanlines(&self.jpeg, &self.row, 1);
    if (!same) convert_row(self);
    put_row(same ? self.row : self.converted, self.size, y, self.pixels);
  }
  jpeg_finish_decompress(&self.jpeg);
}

std::string exif_of(const jpeg_decompress_struct& jpeg) {
  for (const jpeg_marker_struct* marker = jpeg.marker_list; marker; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (data.starts_with(kExifHead)) return std::string(data.substr(kExifHead.size()));
  }
  return {};
}

std::string decode(std::string_view bytes, const std::string& name, ImageMode mode,
                   const std::function<int(const ImageSize&)>& choose_denominator,
                   const PixelPlace& place) {
  Decoder self;
  self.input = bytes;
  self.mode = mode;
  const auto damaged = [&] {
    throw_file_error(name, std::string("is a damaged JPEG picture: ") + self.failure.text);
  };
  if (!attempt(self, read_header)) damaged();
  self.denominator = choose_denominator(self.size);
  if (!attempt(self, start)) damaged();

  self.pixels = place(self.size);
  constexpr int64_t kMostChannels = 4;
  std::vector<unsigned char> rows(static_cast<size_t>(2 * kMostChannels * self.size.width));
  self.row = rows.data();
  self.converted = self.row + kMostChannels * self.size.width;
  const std::string exif = exif_of(self.jpeg);
  if (!attempt(self, read_pixels)) damaged();
  if (self.failure.warning[0])
    std::fprintf(stderr, "tide: %s: %s\n", name.c_str(), self.failure.warning);
  return exif;
}

struct Encoder {
  Failure failure;
  jpeg_compress_struct jpeg = {};
  jpeg_destination_mgr destination = {};
  unsigned char buffer[1 << 14];
  ImageSize size;
  int quality = 0;
  const std::byte* pixels = nullptr;
  unsigned char* row = nullptr;
  std::string* output = nullptr;

  Encoder() { set_up(failure); }
  Encoder(const Encoder&) = delete;
  ~Encoder() {
    if (jpeg.mem) jpeg_destroy_compress(&jpeg);
  }
};

/// Exceptions must not leave this function: libjpeg's frames cannot be unwound.
bool append(std::string* output, const unsigned char* bytes, size_t count) noexcept {
  try {
    output->append(reinterpret_cast<const char*>(bytes), count);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void begin_buffer(j_compress_ptr jpeg) {
  auto* const self = static_cast<Encoder*>(jpeg->client_data);
  self->destination.next_output_byte = self->buffer;
  self->destination.free_in_buffer = sizeof self->buffer;
}

boolean send_buffer(j_compress_ptr jpeg) {
  auto* const self = static_cast<Encoder*>(jpeg->client_data);
  if (!append(self->output, self->buffer, sizeof self->buffer))
    ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
  begin_buffer(jpeg);
  return TRUE;
}

void send_rest(j_compress_ptr jpeg) {
  auto* const self = static_cast<Encoder*>(jpeg->client_data);
  const size_t count = sizeof self->buffer - self->destination.free_in_buffer;
  if (!append(self->output, self->buffer, count)) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
}

void write_pixels(Encoder& self) {
  jpeg_compress_struct& jpeg = self.jpeg;
  jpeg.err = &self.failure.manager;
  jpeg_create_compress(&jpeg);
  jpeg.client_data = &self;
  self.destination.init_destination = begin_buffer;
  self.destination.empty_output_buffer = send_buffer;
  self.destination.term_destination = send_rest;
  jpeg.dest = &self.destination;
  jpeg.image_width = static_cast<JDIMENSION>(self.size.width);
  jpeg.image_height = static_cast<JDIMENSION>(self.size.height);
  jpeg.input_components = self.size.channels;
  jpeg.in_color_space = self.size.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, self.quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    get_row(self.pixels, self.size, jpeg.next_scanline, self.row);
    jpeg_write_scanlines(&jpeg, &self.row, 1);
  }
  jpeg_finish_compress(&jpeg);
}

std::string encode(const std::byte* pixels, const ImageSize& size, int quality,
                   const std::string& function) {
  std::string output;
  std::vector<unsigned char> row(static_cast<size_t>(size.width * size.channels));
  Encoder self;
  self.size = size;
  self.quality = quality;
  self.pixels = pixels;
  self.row = row.data();
  self.output = &output;
  if (!attempt(self, write_pixels)) throw_file_error(function, self.failure.text);
  return output;
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::JpegPlugin* tide_jpeg_plugin() {
  static constexpr tide::JpegPlugin plugin = {tide::decode, tide::encode};
  return &plugin;
}
