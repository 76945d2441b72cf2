// Reads and writes safetensors files, without trusting their contents.
#include "runtime/io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/io/byte_file.h"
#include "runtime/io/file_form.h"
#include "runtime/io/stored_type.h"
#include "runtime/os/file_replacement.h"

namespace tide {
namespace {

using Json = nlohmann::json;

/// The limit of the format.
constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;
/// Depth of the file's object, a tensor's, and its lists.
constexpr int kMaxDepth = 3;
constexpr const char* kMetadataKey = "__metadata__";

struct TypeName {
  std::string_view name;
  StoredType type;
};
constexpr TypeName kTypeNames[] = {
    {"BOOL", DType::boolean},   {"U8", DType::u8},     {"I8", DType::i8},
    {"I16", DType::i16},        {"I32", DType::i32},   {"I64", DType::i64},
    {"F16", DType::f16},        {"BF16", DType::bf16}, {"F8_E4M3", DType::f8e4m3},
    {"F8_E5M2", DType::f8e5m2}, {"F32", DType::f32},   {"F64", DType::f64},
    {"U16", kUnsigned16},       {"U32", kUnsigned32},  {"U64", kUnsigned64}};

/// A tensor as the header describes it; [begin, end) counts bytes after the header.
struct Entry {
  std::string name;
  StoredType type;
  Shape shape;
  uint64_t begin, end;
};

/// An error of one tensor, or of the entire header if `name` is empty.
[[noreturn]] void damaged(const std::string& path, const std::string& name,
                          const std::string& what) {
  throw_file_error(path, name.empty() ? what : "tensor '" + name + "': " + what);
}

Json parse_header(const std::string& path, const std::string& text) {
  // Stopping at the first excess bracket keeps malicious nesting cheap.
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) damaged(path, "", "the header is nested too deeply");
    return true;
  };
  try {
    Json json = Json::parse(text, limit_depth);
    if (!json.is_object()) damaged(path, "", "the header is not a JSON object");
    return json;
  } catch (const Json::exception&) {
    damaged(path, "", "the header is not valid JSON");
  }
}

/// The number, if it is an integer that is not negative.
std::optional<int64_t> non_negative_integer(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) return std::nullopt;
  const int64_t value = json.get<int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

StoredType read_type(const std::string& path, const std::string& name, const Json& description) {
  const auto found = description.find("dtype");
  if (found == description.end() || !found->is_string()) damaged(path, name, "has no dtype");
  const std::string& text = found->get_ref<const std::string&>();
  for (const TypeName& entry : kTypeNames)
    if (entry.name == text) return entry.type;
  damaged(path, name, "its type '" + text.substr(0, 40) + "' has no counterpart in tide");
}

Shape read_shape(const std::string& path, const std::string& name, const Json& description) {
  const auto found = description.find("shape");
  if (found == description.end() || !found->is_array()) damaged(path, name, "has no shape");
  if (found->size() > kMaxDims)
    damaged(path, name, "has more than " + std::to_string(kMaxDims) + " dimensions");
  Shape shape;
  for (const Json& size : *found) {
    const auto value = non_negative_integer(size);
    if (!value) damaged(path, name, "its shape is not a list of integers");
    shape.push_back(*value);
  }
  return shape;
}

Entry read_entry(const std::string& path, const std::string& name, const Json& description) {
  if (!description.is_object()) damaged(path, name, "is not described by an object");
  Entry entry{name, read_type(path, name, description), read_shape(path, name, description), 0, 0};
  const auto offsets = description.find("data_offsets");
  if (offsets == description.end() || !offsets->is_array() || offsets->size() != 2)
    damaged(path, name, "has no data_offsets");
  const auto begin = non_negative_integer((*offsets)[0]), end = non_negative_integer((*offsets)[1]);
  uint64_t bytes;
  if (!begin || !end || *begin > *end || !checked_bytes(entry.shape, entry.type, &bytes) ||
      bytes != static_cast<uint64_t>(*end - *begin))
    damaged(path, name, "its data_offsets do not fit its shape " + entry.shape.text());
  entry.begin = *begin;
  entry.end = *end;
  return entry;
}

FileMetadata read_metadata(const std::string& path, const Json& json) {
  FileMetadata metadata;
  if (!json.is_object()) damaged(path, "", "the metadata is not an object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) damaged(path, "", "the metadata contains a value that is not a string");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// Sorts by position, and checks that the tensors cover the data exactly.
void check_places(const std::string& path, std::vector<Entry>& entries, uint64_t data_size) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t place = 0;
  for (const Entry& entry : entries) {
    if (entry.begin < place) damaged(path, entry.name, "overlaps another one");
    if (entry.begin > place) damaged(path, entry.name, "there is a gap before it");
    place = entry.end;
  }
  if (place != data_size)
    damaged(path, "",
            "holds " + std::to_string(data_size) + " bytes of elements, but its header describes " +
                std::to_string(place));
}

std::string dump_header(const std::string& path, const Json& header) {
  try {
    return header.dump();
  } catch (const Json::exception&) {
    throw_file_error(path, "names of tensors and metadata must be valid UTF-8");
  }
}

}  // namespace

FileMetadata read_safetensors(const std::string& path,
                              const std::function<void(const StoredTensor&)>& visit) {
  FileSource file(path);
  uint64_t length = 0;
  if (file.remaining() < sizeof length) throw_wrong_form(path, "a safetensors file");
  file.read(std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxSafetensorsHeader || length > file.remaining())
    throw_wrong_form(path, "a safetensors file, or cut short");
  std::string text(length, '\0');
  file.read(std::as_writable_bytes(std::span(text)));

  const Json header = parse_header(path, text);
  std::vector<Entry> entries;
  FileMetadata metadata;
  for (const auto& [name, description] : header.items()) {
    if (name == kMetadataKey)
      metadata = read_metadata(path, description);
    else
      entries.push_back(read_entry(path, name, description));
  }
  check_places(path, entries, file.remaining());

  const char* noted = nullptr;  // reported once even for files with many tensors
  for (const Entry& entry : entries) {
    bool was_read = false;
    const auto read = [&](std::span<std::byte> elements) {
      was_read = true;
      read_elements(file, entry.type, false, elements, path + ": tensor '" + entry.name + "'");
      if (entry.type.widened && entry.type.widened != noted) note_widened(path, entry.type);
      noted = entry.type.widened ? entry.type.widened : noted;
    };
    visit({entry.name, entry.type.type, entry.shape, read});
    if (!was_read) file.skip(entry.end - entry.begin);
  }
  return metadata;
}

void write_safetensors(const std::string& path, std::span<const ArrayToWrite> arrays,
                       const FileMetadata& metadata) {
  // Wide types first, so that every tensor is aligned to its type, as expected by readers that map
  // files.
  std::vector<const ArrayToWrite*> order;
  for (const ArrayToWrite& array : arrays) order.push_back(&array);
  std::stable_sort(order.begin(), order.end(), [](const ArrayToWrite* a, const ArrayToWrite* b) {
    return size_of(a->type) > size_of(b->type);
  });

  Json header = Json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::set<std::string_view> names = {kMetadataKey};
  uint64_t place = 0;
  for (const ArrayToWrite* array : order) {
    if (!names.insert(array->name).second)
      throw_file_error(path, "the name '" + array->name + "' is already used");
    const auto type =
        std::find_if(std::begin(kTypeNames), std::end(kTypeNames), [&](const TypeName& entry) {
          return entry.type.type == array->type && !entry.type.widened;
        });
    Json sizes = Json::array();
    for (int64_t size : array->shape) sizes.push_back(size);
    header[array->name] = {{"dtype", type->name},
                           {"shape", std::move(sizes)},
                           {"data_offsets", {place, place + array->bytes()}}};
    place += array->bytes();
  }
  std::string text = dump_header(path, header);
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();

  FileReplacement file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const ArrayToWrite* array : order) file.write({array->data, array->bytes()});
  file.commit();
}

}  // namespace tide
