// The interface of the ONNX plugin.
#pragma once

#include "runtime/io/onnx.h"

namespace tide {

/// The functions of runtime/io/onnx.h.
struct OnnxPlugin {
  void (*read)(std::string_view bytes, const std::string& name, const std::string& type,
               MessageBuilder& builder);
  std::string (*write)(const std::string& type, MessageSource& source);
};

}  // namespace tide
