// tide.np: NumPy files.
#include "bindings/io/arrays.h"
#include "bindings/io/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/embedded.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"

namespace tide::bindings {
namespace {

int load(lua_State* L, const std::string& path) {
  if (path.ends_with(".npz"))
    push_arrays(L, read_npz(path), default_device());
  else
    push_tensor(L, tensor_of(read_npy(path), default_device()));
  return 1;
}

void save(const std::string& path, const Tensor& tensor) {
  ArraysToWrite arrays;
  arrays.add("", tensor);
  write_npy(path, arrays.arrays()[0]);
}

template <bool kCompress>
int save_archive(lua_State* L, const std::string& path, Table table) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  add_table(L, table.index, "", kCompress ? "np.savez_compressed" : "np.savez", tensors);
  ArraysToWrite arrays;
  for (auto& [name, tensor] : tensors) arrays.add(name, tensor);
  write_npz(path, arrays.arrays(), kCompress);
  return 0;
}

int load_embedded(lua_State* L, const std::string& name) {
  const auto contents = read_script(name);
  if (!contents) throw FileError("np.load_embedded: no file '" + name + "' in tide");
  push_arrays(L, read_npz_bytes(*contents), default_device());
  return 1;
}

constexpr Function kNumpyFunctions[] = {
    typed_function<load, "np.load", "path">(
        "The tensor in an npy file, or a table of the tensors in an npz",
        "local path = os.tmpname(); tide.np.save(path, tide.ones(2)); local x = "
        "tide.np.load(path); "
        "os.remove(path); x --> {1.0, 1.0}"),
    typed_function<save, "np.save", "path, tensor">("Writes a tensor to an npy file",
                                                    "local path = os.tmpname(); tide.np.save(path, "
                                                    "tide.ones(2)); local x = tide.np.load(path); "
                                                    "os.remove(path); x --> {1.0, 1.0}"),
    typed_function<save_archive<false>, "np.savez", "path, tensors">(
        "Writes a table of tensors to an npz",
        "local name = os.tmpname(); local path = name .. \".npz\"; tide.np.savez(path, {x = "
        "tide.ones(2)}); local x = tide.np.load(path).x; os.remove(path); os.remove(name); x --> "
        "{1.0, 1.0}"),
    typed_function<save_archive<true>, "np.savez_compressed", "path, tensors">(
        "Writes a table of tensors to an npz, compressed",
        "local name = os.tmpname(); local path = name .. \".npz\"; tide.np.savez_compressed(path, "
        "{x "
        "= tide.ones(2)}); local x = tide.np.load(path).x; os.remove(path); os.remove(name); x --> "
        "{1.0, 1.0}"),
    typed_function<load_embedded, "np.load_embedded", "name">(
        "The tensors of an npz file included in tide, such as \"data/digits.npz\"",
        "tide.np.load_embedded(\"data/digits.npz\").images.shape --> {1797, 8, 8}"),
};

}  // namespace

std::span<const Function> numpy_functions() { return kNumpyFunctions; }

}  // namespace tide::bindings
