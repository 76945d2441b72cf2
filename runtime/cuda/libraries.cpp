// Names, versions, and what to do.
#include "runtime/cuda/libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/cuda/library_path.h"

namespace tide::cuda {
namespace {

struct LibraryFacts {
  const char* name;
  std::vector<const char*> files;  ///< newest first
  const char* without;             ///< what its lack costs
  const char* package;             ///< where it comes from
};

const LibraryFacts& facts_of(Library library) {
  static const LibraryFacts facts[] = {
      {"cuBLASLt",
       {"libcublasLt.so.13", "libcublasLt.so.12"},
       "matrix products are slow",
       "pip install nvidia-cublas, or CUDA toolkit 13"},
      {"cuDNN", {"libcudnn.so.9"}, "convolutions and attention are slow", "pip install nvidia-cudnn-cu13"},
      {"NCCL", {"libnccl.so.2"}, "needed by nothing yet", "pip install nvidia-nccl-cu13"},
      {"CUPTI",
       {"libcupti.so.13", "libcupti.so.12"},
       "needed by nothing yet",
       "pip install nvidia-cuda-cupti, or CUDA toolkit 13"},
      {"NVML",
       {"libnvidia-ml.so.1"},
       "tide smi shows less",
       "comes with the driver; a container is given it with --gpus all"}};
  return facts[static_cast<size_t>(library)];
}

/// "9.12.1" for 91201, as NVIDIA's libraries count.
std::string dotted(uint64_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// Calls the function `name`, which fills in a number; none if it is not there or fails.
template <class Number>
std::optional<uint64_t> filled_in(void* library, const char* name) {
  const auto ask = reinterpret_cast<int (*)(Number*)>(dlsym(library, name));
  Number number = 0;
  if (!ask || ask(&number) != 0) return std::nullopt;
  return static_cast<uint64_t>(number);
}

/// Calls the function `name`, which returns a number.
std::optional<uint64_t> returned(void* library, const char* name) {
  const auto ask = reinterpret_cast<size_t (*)()>(dlsym(library, name));
  if (!ask) return std::nullopt;
  return ask();
}

/// Empty if the library does not tell.
std::string version_of(Library which, void* library) {
  std::optional<uint64_t> version;
  switch (which) {
    case Library::cublas:
      version = returned(library, "cublasLtGetVersion");
      break;
    case Library::cudnn:
      version = returned(library, "cudnnGetVersion");
      // 8 and older counted 8907 for 8.9.7.
      if (version && *version < 90000)
        return std::to_string(*version / 1000) + "." + std::to_string(*version / 100 % 10) + "." +
               std::to_string(*version % 100) + ", too old: 9 is needed";
      break;
    case Library::nccl:
      version = filled_in<int>(library, "ncclGetVersion");
      break;
    case Library::cupti:
      version = filled_in<uint32_t>(library, "cuptiGetVersion");
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

std::string path_of(void* library, const char* file) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name ? map->l_name : file;
}

}  // namespace

void* open_library(Library library) { return open_library(facts_of(library).files); }

std::string describe_libraries() {
  std::string text;
  for (const Library which :
       {Library::cublas, Library::cudnn, Library::nccl, Library::cupti, Library::nvml}) {
    const LibraryFacts& facts = facts_of(which);
    text += std::string(text.empty() ? "" : "\n") + "  " + facts.name + ": ";
    void* library = open_library(which);
    if (!library) {
      text += std::string("not found (") + facts.without + "); to have it: " + facts.package;
      continue;
    }
    const std::string version = version_of(which, library);
    text += path_of(library, facts.files.front());
    if (!version.empty()) text += ", version " + version;
  }
  return text;
}

}  // namespace tide::cuda
