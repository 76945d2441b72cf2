// A page of counters for each process, in a file that the process keeps locked.
#include "runtime/device/process_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <string_view>

#include "runtime/os/descriptor.h"
#include "runtime/os/environment.h"
#include "runtime/os/own_folder.h"

namespace tide {
namespace {

constexpr std::string_view kPrefix = "use-";
constexpr std::string_view kNewPrefix = ".use-";  ///< before it is locked
constexpr time_t kNewFor = 60;  ///< seconds until a file that is not locked is abandoned
constexpr uint64_t kMagic = 0x3165737565646974;  // "tideuse1"

struct Page {
  uint64_t magic = kMagic;
  int64_t process = getpid();
  std::array<std::array<ProcessUse, 64>, std::size(kDeviceKinds)> devices;  ///< by kind
};

Descriptor open_folder() {
  const char* const runtime = environment_text(Variable::runtime_dir);
  return open_own_folder(runtime && runtime[0] == '/' ? std::string(runtime) + "/tide"
                                                      : "/tmp/tide-" + std::to_string(geteuid()));
}

/// This process's page. Never unmapped: queues count until the end.
class OwnPage {
 public:
  OwnPage() : folder_(open_folder()) {
    used_devices();  // removes the files of processes that were killed
    void* place = map_file();
    page_ = place ? new (place) Page : new Page;
    // Renamed only now, so that visible pages are complete.
    const std::string name = std::string(kPrefix) + suffix_;
    if (place && renameat(folder_, temporary().c_str(), folder_, name.c_str()) == 0)
      std::atexit([] { instance().remove(); });
  }

  static OwnPage& instance() {
    static OwnPage* const page = new OwnPage;
    return *page;
  }

  Page& page() { return *page_; }

 private:
  std::string temporary() const { return std::string(kNewPrefix) + suffix_; }

  void* map_file() {
    uint64_t random = 0;
    if (folder_ < 0 || getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) return nullptr;
    suffix_ = std::to_string(getpid()) + "-" + std::to_string(random);
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Descriptor(openat(folder_, temporary().c_str(), kFlags, 0600));
    if (file_ < 0) return nullptr;
    // Reserves disk space first: otherwise writing to a page might kill the process.
    if (flock(file_, LOCK_EX | LOCK_NB) == 0 && posix_fallocate(file_, 0, sizeof(Page)) == 0) {
      void* const place = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
      if (place != MAP_FAILED) return place;
    }
    unlinkat(folder_, temporary().c_str(), 0);
    return nullptr;
  }

  void remove() {
    if (page_->process == getpid())  // not in a forked process
      unlinkat(folder_, (std::string(kPrefix) + suffix_).c_str(), 0);
  }

  Descriptor folder_, file_;
  std::string suffix_;
  Page* page_;
};

void add_devices(const Page& page, std::vector<UsedDevice>& devices) {
  for (const DeviceKind kind : kDeviceKinds) {
    const auto& of_kind = page.devices[static_cast<size_t>(kind)];
    for (size_t i = 0; i < of_kind.size(); ++i) {
      const int64_t bytes = of_kind[i].bytes, queued = of_kind[i].queued_ops;
      const int64_t busy = of_kind[i].busy_nanoseconds;
      if (bytes > 0 || queued > 0 || busy > 0)
        devices.push_back({static_cast<pid_t>(page.process),
                           {kind, static_cast<uint8_t>(i)},
                           bytes,
                           queued,
                           1e-9 * static_cast<double>(busy)});
    }
  }
}

/// Reads the file of a living process; removes the file of a dead one.
void look_at(int folder, const std::string& name, std::vector<UsedDevice>& devices) {
  const bool is_new = name.starts_with(kNewPrefix);
  if (!is_new && !name.starts_with(kPrefix)) return;
  const Descriptor file(openat(folder, name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (is_new && status.st_mtim.tv_sec + kNewFor > time(nullptr)) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) {
    unlinkat(folder, name.c_str(), 0);
    return;
  }
  alignas(Page) std::byte bytes[sizeof(Page)];
  if (is_new || pread(file, bytes, sizeof bytes, 0) != ssize_t{sizeof bytes}) return;
  const Page& page = *std::launder(reinterpret_cast<const Page*>(bytes));
  if (page.magic == kMagic) add_devices(page, devices);
}

}  // namespace

ProcessUse& process_use(Device device) {
  return OwnPage::instance().page().devices[static_cast<size_t>(device.kind)].at(device.index);
}

std::vector<UsedDevice> used_devices() {
  std::vector<UsedDevice> devices;
  const Descriptor folder = open_folder();
  DIR* const listing =
      folder < 0 ? nullptr : fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return devices;
  while (const dirent* const entry = readdir(listing)) look_at(folder, entry->d_name, devices);
  closedir(listing);
  return devices;
}

}  // namespace tide
