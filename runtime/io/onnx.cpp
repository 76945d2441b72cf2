#include "runtime/io/onnx.h"

#include "runtime/io/onnx/plugin.h"
#include "runtime/os/plugin_path.h"

namespace tide {
namespace {

const OnnxPlugin& onnx_plugin() {
  using Entry = const OnnxPlugin* (*)();
  static const OnnxPlugin& plugin =
      *reinterpret_cast<Entry>(plugin_entry("tide-onnx.so", "tide_onnx_plugin"))();
  return plugin;
}

}  // namespace

void read_onnx(std::string_view bytes, const std::string& name, const std::string& type,
               MessageBuilder& builder) {
  onnx_plugin().read(bytes, name, type, builder);
}

std::string write_onnx(const std::string& type, MessageSource& source) {
  return onnx_plugin().write(type, source);
}

}  // namespace tide
