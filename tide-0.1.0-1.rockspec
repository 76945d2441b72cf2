-- `luarocks make` in this folder: the module `tide` for a stock Lua 5.4, with its plugins beside it.
-- The libraries that a build needs are Debian's: .ci/setup.sh lists them.
rockspec_format = "3.0"
package = "tide"
version = "0.1.0-1"
source = {url = "file://tide-0.1.0.tar.gz"}
description = {
  summary = "Tensors, gradients and networks on CPUs and GPUs, with PyTorch's names",
  license = "MIT",
}
dependencies = {"lua >= 5.4, < 5.5"}
build = {
  type = "command",
  build_command = "cmake --preset release && cmake --build --preset release --target complete",
  install_command = [[
    cmake --install build/release --component program --prefix "$(PREFIX)/installed" &&
    mkdir -p "$(LIBDIR)" && mv "$(PREFIX)"/installed/lib/lua/5.4/tide.so "$(PREFIX)"/installed/lib/tide/*.so "$(LIBDIR)" &&
    rm -r "$(PREFIX)/installed"]],
}
