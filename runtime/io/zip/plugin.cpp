// Zip archives through libzip.
#include "runtime/io/zip/plugin.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace tide {
namespace {

/// The highest compression ratio of deflate: a member that claims more is damaged.
constexpr uint64_t kMaxExpansion = 1032;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

[[noreturn]] void throw_zip_error(const std::string& path, zip_error_t& error) {
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw_file_error(path, text);
}

Archive open_archive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  if (code == ZIP_ER_NOZIP) throw_file_error(path, "is not a zip archive");
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  throw_zip_error(path, error);
}

/// An open file to which libzip writes an archive, seeking back to member headers. By path, it
/// would rename a temporary file, which remains if the process is killed.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) { zip_error_init(&error_); }
  ~OpenFile() { zip_error_fini(&error_); }
  OpenFile(const OpenFile&) = delete;

  static zip_int64_t serve(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
    return static_cast<OpenFile*>(self)->serve(data, size, command);
  }

 private:
  zip_int64_t serve(void* data, zip_uint64_t size, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
            ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, ZIP_SOURCE_WRITE, -1);
      case ZIP_SOURCE_STAT: {
        auto* const status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = 0;
        status->valid = ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error_, data, size);
      case ZIP_SOURCE_WRITE:
        return write(data, size);
      case ZIP_SOURCE_SEEK:
      case ZIP_SOURCE_SEEK_WRITE: {
        const zip_int64_t place = zip_source_seek_compute_offset(place_, end_, data, size, &error_);
        if (place < 0) return -1;
        place_ = static_cast<zip_uint64_t>(place);
        return 0;
      }
      case ZIP_SOURCE_TELL:
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(place_);
      default:  // initially empty; closing, keeping and removing it is left to its owner
        return 0;
    }
  }

  zip_int64_t write(const void* data, zip_uint64_t size) {
    for (zip_uint64_t written = 0; written < size;) {
      const ssize_t count = pwrite(file_, static_cast<const char*>(data) + written, size - written,
                                   static_cast<off_t>(place_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        zip_error_set(&error_, ZIP_ER_WRITE, errno);
        return -1;
      }
      written += static_cast<zip_uint64_t>(count);
      place_ += static_cast<zip_uint64_t>(count);
    }
    end_ = std::max(end_, place_);
    return static_cast<zip_int64_t>(size);
  }

  int file_;
  zip_uint64_t place_ = 0, end_ = 0;
  zip_error_t error_;
};

Archive archive_in(OpenFile& file, const std::string& path) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_function_create(OpenFile::serve, &file, &error);
  if (!source) throw_zip_error(path, error);
  Archive archive(zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error));
  if (archive) return archive;
  zip_source_free(source);
  throw_zip_error(path, error);
}

/// One member, decompressed while it is read; its checksum is verified at the end.
class MemberSource : public ByteSource {
 public:
  MemberSource(const std::string& path, zip_t* archive, const ZipArchive::Member& member)
      : name_(path + ": " + member.name),
        file_(zip_fopen_index(archive, member.position, 0)),
        remaining_(member.size) {
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
    // libzip verifies the checksum at the end.
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

class OpenArchive : public ZipArchive {
 public:
  explicit OpenArchive(const std::string& path) : path_(path) {
    // Distinguishes errors that libzip reports alike, with the messages of the other readers.
    const uint64_t file_size = FileSource(path).remaining();
    archive_ = open_archive(path);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    uint64_t unclaimed = file_size;
    for (zip_int64_t i = 0; i < count; ++i) {
      zip_stat_t status;
      if (zip_stat_index(archive_.get(), i, 0, &status) != 0 || !status.name ||
          (status.valid & kNeeded) != kNeeded)
        throw_file_error(path, "the archive's directory is damaged");
      const std::string name = status.name;
      if (name.ends_with('/')) continue;
      if (status.size / kMaxExpansion > file_size)
        throw_file_error(path + ": " + name, "is damaged: it claims more bytes than it can hold");
      if (status.comp_size > unclaimed)
        throw_file_error(path + ": " + name, "is damaged: the file is too short for all members");
      unclaimed -= status.comp_size;
      members_.push_back({name, status.size, static_cast<uint64_t>(i)});
    }
  }

  const std::vector<Member>& members() const override { return members_; }
  std::unique_ptr<ByteSource> open(const Member& member) const override {
    return std::make_unique<MemberSource>(path_, archive_.get(), member);
  }

 private:
  const std::string path_;
  Archive archive_;
  std::vector<Member> members_;
};

std::unique_ptr<ZipArchive> open(const std::string& path) {
  return std::make_unique<OpenArchive>(path);
}

void write(int file, const std::string& path, std::span<const ZipMember> members, bool compress) {
  OpenFile open_file(file);
  Archive archive = archive_in(open_file, path);
  const auto fail = [&] { throw_file_error(path, zip_strerror(archive.get())); };
  for (const ZipMember& member : members) {
    // libzip only reads through these pointers; an empty part would end the member.
    zip_buffer_fragment_t parts[2];
    int count = 0;
    const auto add = [&](const void* data, size_t size) {
      if (size > 0) parts[count++] = {static_cast<zip_uint8_t*>(const_cast<void*>(data)), size};
    };
    add(member.head.data(), member.head.size());
    add(member.body.data(), member.body.size());
    zip_source_t* source = zip_source_buffer_fragment(archive.get(), parts, count, 0);
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
  static constexpr tide::ZipPlugin plugin = {tide::open, tide::write};
  return &plugin;
}
