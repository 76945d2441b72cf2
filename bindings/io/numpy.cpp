// tide.np: NumPy files.
#include "bindings/io/arrays.h"
#include "bindings/io/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/arguments.h"
#include "bindings/support/embedded.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"

namespace tide::bindings {
namespace {

int load(lua_State* L) {
  const std::string path = path_at(L, 1, "np.load");
  if (path.ends_with(".npz"))
    push_arrays(L, read_npz(path), default_device());
  else
    push_tensor(L, tensor_of(read_npy(path), default_device()));
  return 1;
}

int save(lua_State* L) {
  const std::string path = path_at(L, 1, "np.save");
  ArraysToWrite arrays;
  arrays.add("", check_tensor(L, 2, "np.save"));
  write_npy(path, arrays.arrays()[0]);
  return 0;
}

template <bool kCompress>
int save_archive(lua_State* L) {
  const char* const function = kCompress ? "np.savez_compressed" : "np.savez";
  const std::string path = path_at(L, 1, function);
  if (lua_type(L, 2) != LUA_TTABLE) throw_expected(L, 2, function, "a table of tensors");
  std::vector<std::pair<std::string, Tensor>> tensors;
  add_table(L, 2, "", function, tensors);
  ArraysToWrite arrays;
  for (auto& [name, tensor] : tensors) arrays.add(name, tensor);
  write_npz(path, arrays.arrays(), kCompress);
  return 0;
}

int load_embedded(lua_State* L) {
  const std::string path = path_at(L, 1, "np.load_embedded");
  const auto contents = read_script(path);
  if (!contents) throw FileError("np.load_embedded: no file '" + path + "' in tide");
  push_arrays(L, read_npz_bytes(*contents), default_device());
  return 1;
}

constexpr Function kNumpyFunctions[] = {
    {"load", guard<load>, "path", "The tensor in an npy file, or a table of the tensors in an npz",
     "local path = os.tmpname(); tide.np.save(path, tide.ones(2)); local x = tide.np.load(path); "
     "os.remove(path); x --> {1.0, 1.0}"},
    {"save", guard<save>, "path, tensor", "Writes a tensor to an npy file",
     "local path = os.tmpname(); tide.np.save(path, tide.ones(2)); local x = tide.np.load(path); "
     "os.remove(path); x --> {1.0, 1.0}"},
    {"savez", guard<save_archive<false>>, "path, tensors", "Writes a table of tensors to an npz",
     "local name = os.tmpname(); local path = name .. \".npz\"; tide.np.savez(path, {x = "
     "tide.ones(2)}); local x = tide.np.load(path).x; os.remove(path); os.remove(name); x --> "
     "{1.0, 1.0}"},
    {"savez_compressed", guard<save_archive<true>>, "path, tensors",
     "Writes a table of tensors to an npz, compressed",
     "local name = os.tmpname(); local path = name .. \".npz\"; tide.np.savez_compressed(path, {x "
     "= tide.ones(2)}); local x = tide.np.load(path).x; os.remove(path); os.remove(name); x --> "
     "{1.0, 1.0}"},
    {"load_embedded", guard<load_embedded>, "name",
     "The tensors of an npz file included in tide, such as \"data/digits.npz\"",
     "tide.np.load_embedded(\"data/digits.npz\").images.shape --> {1797, 8, 8}"},
};

}  // namespace

std::span<const Function> numpy_functions() { return kNumpyFunctions; }

}  // namespace tide::bindings
