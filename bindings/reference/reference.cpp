// Collects the reference.
#include "bindings/reference/reference.h"

#include <string_view>

#include "bindings/device/functions.h"
#include "bindings/io/functions.h"
#include "bindings/modes/modes.h"
#include "bindings/ops/rows.h"
#include "bindings/reference/notations.h"
#include "bindings/support/fields.h"
#include "bindings/tensor/methods.h"
#include "bindings/threads/functions.h"
#include "bindings/timing/functions.h"
#include "runtime/os/environment.h"

namespace tide::bindings {
namespace {

/// "dim?, {dtype, device, requires_grad}": the parameters from `first` on.
std::string parameters_text(const Signature& signature, int first) {
  std::string text;
  for (int p = first; p < signature.count; ++p) {
    const Parameter& parameter = signature.parameters[p];
    text += text.empty() ? "" : ", ";
    if (parameter.kind == Kind::options) {
      text += "{dtype, device, requires_grad}";
      continue;
    }
    text += signature.name(p);
    if (parameter.rest) text += "...";
    if (parameter.optional) text += '?';
  }
  return text;
}

std::vector<ReferenceParameter> parameters_of(const Signature& signature, int first) {
  std::vector<ReferenceParameter> list;
  for (int p = first; p < signature.count; ++p) {
    const Parameter& parameter = signature.parameters[p];
    list.push_back({std::string(signature.name(p)), kind_text(parameter.kind), parameter.optional,
                    parameter.rest});
  }
  return list;
}

void add_row(std::vector<ReferenceEntry>& entries, const OpRow& row, const OpFamily& family) {
  const std::string name = row.name;
  const auto add = [&](const std::string& entry, const std::string& call, int first) {
    entries.push_back({entry, call + "(" + parameters_text(row.signature, first) + ")", row.doc,
                       family.name, row.example, row.results, parameters_of(row.signature, first)});
  };
  // A receiver named input is shown as x.
  if (row.flags & kMethodOnly) add(name, "x:" + name, 1);
  if (row.flags & (kInPlace | kInPlaceView)) add(name + "_", "x:" + name + "_", 1);
  if (row.flags & kFunction) add(name, "tide." + name, 0);
  if (row.flags & kFunctional) add(name, "tide.nn.functional." + name, 0);
  if (row.flags & kSpecial) add(name, "tide.special." + name, 0);
  if (row.flags & kLinalg) add(name, "tide.linalg." + name, 0);
}

/// Names that are not functions.
void add_notations(std::vector<ReferenceEntry>& entries) {
  const auto add = [&](const std::string& text, const char* family, const std::string& doc,
                       const std::string& example) {
    const std::string name = text.starts_with("tide.") ? text.substr(5) : text;
    entries.push_back({name, text, doc, family, example, nullptr, {}});
  };
  for (const auto& [name, type] : type_names()) {
    const std::string path = "tide." + name, full(name_of(type));
    std::string example = path;
    example.append(" --> \"").append(full).append("\"");
    add(path, "Types",
        name == full ? "The type's name: x.dtype == " + path : "PyTorch's alias of " + full,
        example);
  }
  for (const Notation& row : notations()) add(row.text, row.family, row.doc, row.example);
}

std::vector<ReferenceEntry> collect() {
  std::vector<ReferenceEntry> entries;
  for (const OpFamily& family : op_families())
    for (const OpRow& row : family.rows) add_row(entries, row, family);
  for (const Function& field : tensor_fields())
    entries.push_back({field.name,
                       std::string("x.") + field.name,
                       field.doc,
                       "Fields of a tensor",
                       field.example,
                       nullptr,
                       {}});
  for (const FunctionFamily& family : function_families())
    for (const Function& f : family.functions)
      entries.push_back({f.name,
                         std::string(family.prefix) + f.name + "(" + f.arguments + ")",
                         f.doc,
                         family.title,
                         f.example,
                         nullptr,
                         {}});
  add_notations(entries);
  return entries;
}

void push_parameter(lua_State* L, const ReferenceParameter& parameter) {
  lua_createtable(L, 0, 4);
  set_field(L, "name", parameter.name);
  set_field(L, "kind", parameter.kind);
  set_field(L, "optional", parameter.optional);
  set_field(L, "rest", parameter.rest);
}

void push_entry(lua_State* L, const ReferenceEntry& entry) {
  lua_createtable(L, 0, 8);
  set_field(L, "name", entry.name);
  set_field(L, "signature", entry.signature);
  set_field(L, "doc", entry.doc);
  set_field(L, "family", entry.family);
  set_field(L, "example", entry.example);
  if (!entry.results) return;
  set_field(L, "results", entry.results);
  push_list(L, entry.parameters,
            [L](const ReferenceParameter& parameter) { push_parameter(L, parameter); });
  lua_setfield(L, -2, "parameters");
}

}  // namespace

const std::vector<ReferenceEntry>& reference() {
  static const std::vector<ReferenceEntry> entries = collect();
  return entries;
}

int push_reference(lua_State* L) {
  push_list(L, reference(), [L](const ReferenceEntry& entry) { push_entry(L, entry); });
  return 1;
}

int push_environment(lua_State* L) {
  push_list(L, environment_variables(), [L](const VariableRow& row) {
    lua_createtable(L, 0, 4);
    set_field(L, "name", row.name);
    set_field(L, "values", row.values);
    set_field(L, "otherwise", row.otherwise);
    set_field(L, "about", row.about);
  });
  return 1;
}

std::span<const FunctionFamily> function_families() {
  static const std::vector<FunctionFamily> families = [] {
    const auto methods = tensor_method_families();
    std::vector<FunctionFamily> all(methods.begin(), methods.end());
    all.insert(all.end(), {
                              {"tide.", "Tensors from Lua values", construction_functions()},
                              {"tide.", "Bytes and summaries", byte_functions()},
                              {"tide.", "Bytes and summaries", dlpack_functions()},
                              {"tide.", "Printing", text_functions()},
                              {"tide.", "Properties", property_functions()},
                              {"tide.", "Gradients", gradient_functions()},
                              {"tide.", "Random numbers", random_functions()},
                              {"generator:", "Generators", generator_methods()},
                              {"tide.", "Modes", mode_functions()},
                              {"tide.", "Devices", device_functions()},
                              {"tide.", "Devices", smi_functions()},
                              {"tide.", "Memory", memory_functions()},
                              {"tide.", "Events and streams", event_functions()},
                              {"event:", "Events", event_methods()},
                              {"stream:", "Streams", stream_methods()},
                              {"tide.", "Threads", thread_functions()},
                              {"tide.", "Threads", channel_functions()},
                              {"thread:", "Methods of threads", thread_methods()},
                              {"channel:", "Channels", channel_methods()},
                              {"tide.cuda.", "CUDA", cuda_functions()},
                              {"tide.sim.", "Simulated devices", sim_functions()},
                              {"tide.", "Time", clock_functions()},
                              {"tide.", "Benchmarks", benchmark_functions()},
                              {"tide.", "Introspection", inspection_functions()},
                              {"tide.", "Files", scratch_functions()},
                              {"tide.np.", "NumPy files", numpy_functions()},
                          });
    return all;
  }();
  return families;
}

}  // namespace tide::bindings
