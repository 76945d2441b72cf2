// Collects the reference and answers tide.help.
#include "bindings/reference/reference.h"

#include <algorithm>
#include <string_view>

#include "bindings/device/functions.h"
#include "bindings/io/functions.h"
#include "bindings/modes/modes.h"
#include "bindings/ops/dispatch.h"
#include "bindings/ops/rows.h"
#include "bindings/support/object.h"
#include "bindings/tensor/methods.h"
#include "bindings/timing/functions.h"

namespace tide::bindings {
namespace {

/// Registry key of the table of help on the library's values.
const char kLibraryHelp = 0;

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

void add_row(std::vector<ReferenceEntry>& entries, const OpRow& row, const OpFamily& family) {
  const std::string name = row.name;
  const auto add = [&](const std::string& entry, const std::string& call, int first) {
    entries.push_back(
        {entry, call + "(" + parameters_text(row.signature, first) + ")", row.doc, family.name});
  };
  // A receiver named input reads better as the x that it is called on.
  if (row.flags & kMethodOnly) add(name, "x:" + name, 1);
  if (row.flags & kInPlace) add(name + "_", "x:" + name + "_", 1);
  if (row.flags & kFunction) add(name, "tide." + name, 0);
  if (row.flags & kFunctional) add(name, "tide.nn.functional." + name, 0);
  if (row.flags & kLinalg) add(name, "tide.linalg." + name, 0);
}

std::vector<ReferenceEntry> collect() {
  std::vector<ReferenceEntry> entries;
  for (const OpFamily& family : op_families())
    for (const OpRow& row : family.rows) add_row(entries, row, family);
  for (const FunctionFamily& family : function_families())
    for (const Function& f : family.functions)
      entries.push_back({f.name, std::string(family.prefix) + f.name + "(" + f.arguments + ")",
                         f.doc, family.title});
  return entries;
}

/// "x:matmul(other)" without its arguments.
std::string_view called_as(const ReferenceEntry& entry) {
  return std::string_view(entry.signature).substr(0, entry.signature.find('('));
}

/// `name` as a reader may write it: matmul, x:matmul, tide.matmul, F.conv2d.
bool matches(const ReferenceEntry& entry, std::string_view name) {
  if (entry.name == name || called_as(entry) == name) return true;
  if (name.starts_with("F."))
    return called_as(entry) == "tide.nn.functional." + std::string(name.substr(2));
  return false;
}

std::string entries_text(std::string_view name) {
  std::string text;
  for (const ReferenceEntry& entry : reference())
    if (matches(entry, name)) text += entry.signature + "\n    " + entry.doc + "\n";
  return text;
}

std::string family_text(std::string_view family) {
  std::string text;
  for (const ReferenceEntry& entry : reference())
    if (entry.family == family) text += entry.signature + "\n";
  return text;
}

std::string overview() {
  std::string text =
      "tide.help(name) explains one name, tide.help(family) lists those of a family:\n";
  for (const OpFamily& family : op_families())
    text += "  " + std::string(family.name) + ": " + family.title + "\n";
  for (const FunctionFamily& family : function_families())
    if (text.find("  " + std::string(family.title) + "\n") == std::string::npos)
      text += "  " + std::string(family.title) + "\n";
  return text;
}

/// Names that contain, or begin like, what was asked for.
std::string similar_names(std::string_view name) {
  std::vector<std::string_view> found;
  const std::string_view start = name.substr(0, std::max<size_t>(3, name.size() - 2));
  for (const ReferenceEntry& entry : reference())
    if (entry.name.starts_with(start) && std::ranges::find(found, entry.name) == found.end())
      found.push_back(entry.name);
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(found.size(), 5); ++i)
    text += (i ? ", " : "; near it: ") + std::string(found[i]);
  return text;
}

/// The entries of a function: op functions know their rows, the others are found by their code.
std::string function_text(lua_State* L, int index) {
  if (const char* name = op_name(L, index)) return entries_text(name);
  const lua_CFunction code = lua_tocfunction(L, index);
  for (const FunctionFamily& family : function_families())
    for (const Function& f : family.functions)
      if (code && f.function == code) return entries_text(std::string(family.prefix) + f.name);
  return "a function that has no help\n";
}

/// What is said about a name, in C++ and by the Lua library.
std::string name_text(std::string_view name, const std::string& library_text) {
  std::string text = entries_text(name) + library_text;
  if (text.empty()) text = family_text(name);
  if (text.empty())
    text = "there is no help on '" + std::string(name) + "'" + similar_names(name) + "\n";
  return text;
}

/// What the Lua library says about the value at index 1; empty if it says nothing.
std::string library_text(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "tide.reference");  // fills the table when it is loaded
  lua_call(L, 1, 0);
  push_library_help(L);
  lua_pushvalue(L, 1);
  lua_rawget(L, -2);
  const char* text = lua_tostring(L, -1);
  return text ? std::string(text) + "\n" : "";
}

int help(lua_State* L) {
  lua_settop(L, 1);
  std::string text;
  if (lua_isnil(L, 1)) {
    text = overview();
  } else {
    text = library_text(L);
    if (lua_type(L, 1) == LUA_TSTRING)
      text = name_text(lua_tostring(L, 1), text);
    else if (text.empty() && lua_isfunction(L, 1))
      text = function_text(L, 1);
    else if (text.empty())
      text = std::string("a value of type ") + type_name(L, 1) + "\n";
  }
  if (text.ends_with('\n')) text.pop_back();
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

constexpr Function kFunctions[] = {
    {"help", guard_lookup<help>, "name_or_function?",
     "The text of the reference on a name, a function, or a family of them"},
};

}  // namespace

const std::vector<ReferenceEntry>& reference() {
  static const std::vector<ReferenceEntry> entries = collect();
  return entries;
}

std::span<const Function> reference_functions() { return kFunctions; }

void push_library_help(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kLibraryHelp) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 16);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kLibraryHelp);
}

int push_reference(lua_State* L) {
  const auto& entries = reference();
  lua_createtable(L, static_cast<int>(entries.size()), 0);
  for (size_t i = 0; i < entries.size(); ++i) {
    const ReferenceEntry& entry = entries[i];
    const std::pair<const char*, const std::string*> fields[] = {{"name", &entry.name},
                                                                 {"signature", &entry.signature},
                                                                 {"doc", &entry.doc},
                                                                 {"family", &entry.family}};
    lua_createtable(L, 0, 4);
    for (const auto& [key, text] : fields) {
      lua_pushlstring(L, text->data(), text->size());
      lua_setfield(L, -2, key);
    }
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

std::span<const FunctionFamily> function_families() {
  static const std::vector<FunctionFamily> families = [] {
    const auto methods = tensor_method_families();
    std::vector<FunctionFamily> all(methods.begin(), methods.end());
    all.insert(all.end(), {
                              {"tide.", "Tensors of Lua values", construction_functions()},
                              {"tide.", "Bytes and summaries", byte_functions()},
                              {"tide.", "Printing", text_functions()},
                              {"tide.", "Questions", question_functions()},
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
                              {"tide.cuda.", "CUDA", cuda_functions()},
                              {"tide.sim.", "Simulated devices", sim_functions()},
                              {"tide.", "Time", clock_functions()},
                              {"tide.", "Benchmarks", benchmark_functions()},
                              {"tide.", "Looking inside", inspection_functions()},
                              {"tide.", "Files", file_functions()},
                              {"tide.np.", "NumPy files", numpy_functions()},
                              {"tide.", "Help", reference_functions()},
                          });
    return all;
  }();
  return families;
}

}  // namespace tide::bindings
