// Finds the libraries, their versions, and how to install missing ones.
#include "runtime/cuda/libraries/libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/driver/library_path.h"

namespace tide::cuda {
namespace {

/// A file's name and its CUDA version; 0: any, or reported by the library itself.
struct File {
  const char* name;
  int cuda;
};

struct LibraryFacts {
  const char* name;
  std::vector<File> files;              ///< newest first
  const char* without;                  ///< the consequence of its absence
  const char *package, *package_of_12;  ///< how to install it, for drivers of CUDA 13 and of 12
};

const LibraryFacts& facts_of(Library library) {
  static const LibraryFacts facts[] = {
      {"cuBLASLt",
       {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}},
       "matrix products are slow",
       "pip install nvidia-cublas, or CUDA toolkit 13",
       "pip install nvidia-cublas-cu12, or CUDA toolkit 12"},
      {"cuDNN",
       {{"libcudnn.so.9", 0}},
       "convolutions and attention are slow",
       "pip install nvidia-cudnn-cu13",
       "pip install nvidia-cudnn-cu12"},
      {"NCCL",
       {{"libnccl.so.2", 0}},
       "not used yet",
       "pip install nvidia-nccl-cu13",
       "pip install nvidia-nccl-cu12"},
      {"CUPTI",
       {{"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so", 0}},
       "profiles time kernels by events",
       "pip install nvidia-cuda-cupti, or CUDA toolkit 13",
       "pip install nvidia-cuda-cupti-cu12, or CUDA toolkit 12"},
      {"NVML",
       {{"libnvidia-ml.so.1", 0}},
       "tide smi shows less",
       "comes with the driver; a container is given it with --gpus all",
       "comes with the driver; a container is given it with --gpus all"}};
  return facts[static_cast<size_t>(library)];
}

/// The CUDA version that the driver supports: 13; the newest if there is no driver.
int cuda_of_driver() {
  const int version = driver_report().version;
  return version ? version / 1000 : kOldestDriver / 1000 + 1;
}

std::vector<const char*> files_up_to(const LibraryFacts& facts, int cuda) {
  std::vector<const char*> names;
  for (const File& file : facts.files)
    if (file.cuda <= cuda) names.push_back(file.name);
  return names;
}

/// Calls the function `name`, which fills in a number; nullopt if it is missing or fails.
template <class Number>
std::optional<uint64_t> filled_in(void* library, const char* name) {
  const auto ask = reinterpret_cast<int (*)(Number*)>(dlsym(library, name));
  Number number = 0;
  if (!ask || ask(&number) != 0) return std::nullopt;
  return static_cast<uint64_t>(number);
}

/// The CUDA version of a library; 0 if it does not report it.
int cuda_of(Library which, void* library) {
  if (which == Library::cupti) {
    const auto version = filled_in<uint32_t>(library, "cuptiGetVersion");
    return !version ? 0 : *version < 10000 ? 12 : static_cast<int>(*version / 10000);
  }
  if (which != Library::cudnn) return 0;
  const auto ask = reinterpret_cast<size_t (*)()>(dlsym(library, "cudnnGetCudartVersion"));
  return ask ? static_cast<int>(ask() / 1000) : 0;
}

constexpr int kAny = 1000;

/// Opens the library for this CUDA version or an older one.
void* open_up_to(Library which, int cuda) {
  return open_library(files_up_to(facts_of(which), cuda),
                      [=](void* library) { return cuda_of(which, library) <= cuda; });
}

/// "9.12.1" for 91201, as NVIDIA's libraries count.
std::string dotted(uint64_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// Calls the function `name`, which returns a number.
std::optional<uint64_t> returned(void* library, const char* name) {
  const auto ask = reinterpret_cast<size_t (*)()>(dlsym(library, name));
  if (!ask) return std::nullopt;
  return ask();
}

/// Makes the context of the first usable device current during its lifetime.
class CardInUse {
 public:
  CardInUse() {
    for (const DeviceFacts& facts : driver_report().devices)
      if (facts.refusal.empty() && !context_) take(facts.ordinal);
  }
  ~CardInUse() {
    if (!context_) return;
    driver().context_use(nullptr);
    driver().context_release(device_);
  }
  CardInUse(const CardInUse&) = delete;
  explicit operator bool() const { return context_ != nullptr; }

 private:
  void take(int ordinal) {
    if (driver().device_get(&device_, ordinal) != kSuccess ||
        driver().context_retain(&context_, device_) != kSuccess)
      context_ = nullptr;
    else
      driver().context_use(context_);
  }

  DeviceOrdinal device_ = 0;
  Context context_ = nullptr;
};

/// The status of initializing a library on a device; 0 for libraries without initialization.
int start(Library which, void* library) {
  if (which != Library::cublas && which != Library::cudnn) return 0;
  const bool is_blas = which == Library::cublas;
  const auto create =
      reinterpret_cast<int (*)(void**)>(dlsym(library, is_blas ? "cublasLtCreate" : "cudnnCreate"));
  const auto destroy = reinterpret_cast<int (*)(void*)>(
      dlsym(library, is_blas ? "cublasLtDestroy" : "cudnnDestroy"));
  void* handle = nullptr;
  const int status = create ? create(&handle) : -1;
  if (status == 0 && destroy) destroy(handle);
  return status;
}

std::string path_of(void* library, const char* file) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name ? map->l_name : file;
}

}  // namespace

std::string version_of(Library which, void* library) {
  std::optional<uint64_t> version;
  switch (which) {
    case Library::cublas:
      version = returned(library, "cublasLtGetVersion");
      break;
    case Library::cudnn:
      version = returned(library, "cudnnGetVersion");
      // Up to version 8, 8907 means 8.9.7.
      if (version && *version < 90000)
        return std::to_string(*version / 1000) + "." + std::to_string(*version / 100 % 10) + "." +
               std::to_string(*version % 100) + ", too old: version 9 is required";
      break;
    case Library::nccl:
      version = filled_in<int>(library, "ncclGetVersion");
      break;
    case Library::cupti:
      version = filled_in<uint32_t>(library, "cuptiGetVersion");
      // Up to CUDA 12, this is the number of the interface.
      if (version && *version < 10000) return "12 (interface " + std::to_string(*version) + ")";
      break;
    case Library::nvml: {
      const auto start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
      const auto ask =
          reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetNVMLVersion"));
      char text[96] = "";
      return start && ask && start() == 0 && ask(text, sizeof text) == 0 ? text : "";
    }
  }
  return version ? dotted(*version) : "";
}

void* open_library(Library library) {
  // NVML is part of the driver, and is used without initializing the driver.
  return open_up_to(library, library == Library::nvml ? 0 : cuda_of_driver());
}

namespace {

/// "/usr/lib/libcudnn.so.9, version 9.1.0".
std::string located(Library which, void* library) {
  const std::string version = version_of(which, library);
  return path_of(library, facts_of(which).files.front().name) +
         (version.empty() ? "" : ", version " + version);
}

/// "/usr/lib/libcublasLt.so.13 needs a newer driver than CUDA 12's".
std::string too_new(Library which, void* library) {
  return path_of(library, facts_of(which).files.front().name) + " needs a newer driver than CUDA " +
         std::to_string(cuda_of_driver()) + "'s";
}

std::string reason_text(Library which, int status) {
  const std::string name = facts_of(which).name;
  void* const library = open_library(which);
  if (library && status)
    return name + " does not start: status " + std::to_string(status) + " (" +
           located(which, library) + ")";
  if (library) return name + " cannot be used: " + located(which, library);
  if (void* newer = open_up_to(which, kAny)) return name + ": " + too_new(which, newer);
  return name + " was not found";
}

}  // namespace

const char* reason_without(Library which, int status) {
  static auto& texts = *new std::set<std::string>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  return texts.insert(reason_text(which, status)).first->c_str();
}

std::string describe_libraries() {
  const int cuda = cuda_of_driver();
  const CardInUse card;
  std::string text;
  for (const Library which :
       {Library::cublas, Library::cudnn, Library::nccl, Library::cupti, Library::nvml}) {
    const LibraryFacts& facts = facts_of(which);
    const char* const package = cuda > 12 ? facts.package : facts.package_of_12;
    text += std::string(text.empty() ? "" : "\n") + "  " + facts.name + ": ";
    if (void* library = open_library(which)) {
      text += located(which, library);
      if (const int status = card ? start(which, library) : 0)
        text += ", does not start: status " + std::to_string(status) + " (" + facts.without + ")";
    } else if (void* newer = open_up_to(which, kAny)) {
      text += too_new(which, newer) + " (" + facts.without +
              "); install one for this driver: " + package;
    } else {
      text += std::string("not found (") + facts.without + "); install it: " + package +
              "; if it is installed, add its folder to TIDE_CUDA_PATH";
    }
  }
  return text;
}

}  // namespace tide::cuda
