// Zip archives through libzip.
#include "runtime/io/zip/plugin.h"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace tide {
namespace {

/// Deflate cannot pack tighter than this, so a member that claims more is damaged.
constexpr uint64_t kMaxExpansion = 1032;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

Archive open_archive(const std::string& path, int flags, const std::string& shown_path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive) return archive;
  if (code == ZIP_ER_NOZIP) throw_file_error(shown_path, "is not a zip archive");
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw_file_error(shown_path, text);
}

/// One member, unpacked while it is read; its checksum is compared at the end.
class MemberSource : public ByteSource {
 public:
  MemberSource(const std::string& path, zip_t* archive, const zip_stat_t& status)
      : name_(path + ": " + status.name),
        file_(zip_fopen_index(archive, status.index, 0)),
        remaining_(status.size) {
    if (!file_) throw_file_error(name_, zip_strerror(archive));
  }

  uint64_t remaining() const override { return remaining_; }
  const std::string& name() const override { return name_; }

  void read(std::span<std::byte> target) override {
    if (target.size() > remaining_) throw_file_error(name_, "is cut short");
    while (!target.empty()) {
      const zip_int64_t count = zip_fread(file_.get(), target.data(), target.size());
      if (count <= 0) damaged();
      target = target.subspan(count);
      remaining_ -= count;
    }
    // libzip compares the checksum when it meets the end.
    std::byte beyond;
    if (remaining_ == 0 && zip_fread(file_.get(), &beyond, 1) != 0) damaged();
  }

 private:
  [[noreturn]] void damaged() const {
    throw_file_error(name_, std::string("is damaged: ") + zip_file_strerror(file_.get()));
  }

  std::string name_;
  std::unique_ptr<zip_file_t, CloseMember> file_;
  uint64_t remaining_;
};

void read(const std::string& path,
          const std::function<void(const std::string&, ByteSource&)>& visit) {
  // Tells apart what libzip reports alike, in the words of all other readers.
  const uint64_t file_size = FileSource(path).remaining();
  const Archive archive = open_archive(path, ZIP_RDONLY, path);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    if (zip_stat_index(archive.get(), i, 0, &status) != 0 || !status.name ||
        !(status.valid & ZIP_STAT_SIZE))
      throw_file_error(path, "the archive's directory is damaged");
    const std::string name = status.name;
    if (name.ends_with('/')) continue;
    if (status.size / kMaxExpansion > file_size)
      throw_file_error(path + ": " + name, "is damaged: it claims more bytes than it can hold");
    MemberSource source(path, archive.get(), status);
    visit(name, source);
  }
}

void write(const std::string& path, const std::string& shown_path,
           std::span<const ZipMember> members, bool compress) {
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE, shown_path);
  const auto fail = [&] { throw_file_error(shown_path, zip_strerror(archive.get())); };
  for (const ZipMember& member : members) {
    // libzip only reads through these pointers.
    zip_buffer_fragment_t parts[2];
    parts[0] = {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(member.head.data())),
                member.head.size()};
    parts[1] = {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(member.body.data())),
                member.body.size()};
    zip_source_t* source =
        zip_source_buffer_fragment(archive.get(), parts, member.body.empty() ? 1 : 2, 0);
    if (!source) fail();
    const zip_int64_t index =
        zip_file_add(archive.get(), member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail();
    }
    if (zip_set_file_compression(archive.get(), index, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                 0) != 0)
      fail();
  }
  if (zip_close(archive.get()) != 0) fail();
  archive.release();
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::ZipPlugin* tide_zip_plugin() {
  static constexpr tide::ZipPlugin plugin = {tide::read, tide::write};
  return &plugin;
}
