// Identifies files by their first bytes.
#include "runtime/io/file_form.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "runtime/io/byte_file.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

using namespace std::string_view_literals;

struct Form {
  std::string_view sign;  ///< expected at `at`
  size_t at;
  const char* text;
};

constexpr Form kForms[] = {
    {"version https://git-lfs.github.com"sv, 0,
     "a Git LFS pointer: `git lfs pull` fetches the file itself"},
    {"\x89HDF\r\n\x1a\n"sv, 0, "an HDF5 file, as written by Keras"},
    {"TFL3"sv, 4, "a TensorFlow Lite model"},
    {"GGUF"sv, 0, "a GGUF file, as used by llama.cpp"},
    {"\x93NUMPY"sv, 0, "an npy file: tide.np.load reads it"},
    {"PK\x03\x04"sv, 0,
     "a zip archive: tide.load_torch reads those of PyTorch, tide.np.load those of NumPy"},
    {"\x80\x02"sv, 0, "a Python pickle: tide.load_torch reads those of PyTorch"},
    {"\x80\x03"sv, 0, "a Python pickle: tide.load_torch reads those of PyTorch"},
    {"\x80\x04"sv, 0, "a Python pickle: tide.load_torch reads those of PyTorch"},
    {"\x80\x05"sv, 0, "a Python pickle: tide.load_torch reads those of PyTorch"},
    {"\x89PNG"sv, 0, "a PNG picture: tide.vision.read_image reads it"},
    {"\xff\xd8\xff"sv, 0, "a JPEG picture: tide.vision.read_image reads it"},
    {"\x1f\x8b"sv, 0, "packed by gzip"},
    {"{\""sv, 8, "a safetensors file: tide.load reads it"},
    {"<!doctype html"sv, 0, "an HTML page: the requested file was not downloaded"},
    {"<html"sv, 0, "an HTML page: the requested file was not downloaded"},
};

/// The first bytes of the file.
std::string head_of(const std::string& path) {
  FileSource file(path);
  std::string head(std::min<uint64_t>(file.remaining(), 64), '\0');
  file.read(std::as_writable_bytes(std::span(head)));
  return head;
}

}  // namespace

std::string form_of_file(const std::string& path) {
  std::string head;
  try {
    head = head_of(path);
  } catch (const Error&) {
    return {};
  }
  for (const Form& form : kForms)
    if (head.size() >= form.at && std::string_view(head).substr(form.at).starts_with(form.sign))
      return form.text;
  // HTML may be in upper case, and follow white space.
  std::ranges::transform(head, head.begin(), [](unsigned char c) { return std::tolower(c); });
  const size_t start = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  for (const Form& form : kForms)
    if (form.sign.starts_with('<') && std::string_view(head).substr(start).starts_with(form.sign))
      return form.text;
  return {};
}

void throw_wrong_form(const std::string& path, const std::string& wanted) {
  const std::string form = form_of_file(path);
  throw_file_error(path, "is not " + wanted + (form.empty() ? "" : ": it is " + form));
}

}  // namespace tide
