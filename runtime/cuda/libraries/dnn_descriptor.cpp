// Opens cuDNN, and wraps its calls.
#include "runtime/cuda/libraries/dnn_descriptor.h"

#include <dlfcn.h>

#include <string>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/libraries/libraries.h"

namespace tide::cuda {
namespace {

const dnn::Table* find_dnn_table() {
  void* library = open_library(Library::cudnn);
  if (!library) return nullptr;
  static dnn::Table table;
  bool complete = true;
#define TIDE_FIND(member, name, parameters)                                      \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, name)); \
  complete = complete && table.member;
  TIDE_CUDA_DNN(TIDE_FIND)
#undef TIDE_FIND
  table.version = reinterpret_cast<decltype(table.version)>(dlsym(library, "cudnnGetVersion"));
  if (!complete || !table.version) {
    if (logging()) log("cuDNN is not used: its library lacks functions");
    return nullptr;
  }
  constexpr size_t kMajor = 10000;
  const size_t version = table.version();
  if (logging())
    log("cuDNN has version " + std::to_string(version) +
        (version / kMajor == 9 ? "" : "; not used: version 9 is required"));
  return version / kMajor == 9 ? &table : nullptr;
}

}  // namespace

const dnn::Table* dnn_table() {
  static const dnn::Table* const found = find_dnn_table();
  return found;
}

DnnDescriptor::DnnDescriptor(dnn::Kind kind) {
  demand(dnn_table()->create_descriptor(kind, &raw_), "cudnnBackendCreateDescriptor");
}

DnnDescriptor::~DnnDescriptor() {
  if (raw_) dnn_table()->destroy_descriptor(raw_);
}

void DnnDescriptor::set(dnn::Property property, dnn::Type type, int64_t count, const void* values) {
  demand(dnn_table()->set(raw_, property, type, count, values), "cudnnBackendSetAttribute");
}

void DnnDescriptor::set(dnn::Property property, std::span<const int64_t> numbers) {
  set(property, dnn::Type::int64, static_cast<int64_t>(numbers.size()), numbers.data());
}

void DnnDescriptor::set(dnn::Property property, const DnnDescriptor& other) {
  set(property, dnn::Type::descriptor, 1, &other.raw_);
}

void DnnDescriptor::set(dnn::Property property, std::span<const dnn::Descriptor> others) {
  set(property, dnn::Type::descriptor, static_cast<int64_t>(others.size()), others.data());
}

int64_t DnnDescriptor::get(dnn::Property property, dnn::Type type, int64_t capacity,
                           void* values) const {
  int64_t count = 0;
  demand(dnn_table()->get(raw_, property, type, capacity, &count, values),
         "cudnnBackendGetAttribute");
  return count;
}

void DnnDescriptor::finalize() { demand(dnn_table()->finalize(raw_), "cudnnBackendFinalize"); }

}  // namespace tide::cuda
