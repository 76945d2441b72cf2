-- An installation by `cmake --install`: the program and its plugins, the module for a stock
-- Lua, and the library for C++.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal = test.describe, test.it, test.same_type

--- The prefix of an installation of the build.
local installed = shell.once(function()
  local prefix = shell.temporary_folder()
  shell.run(("cmake --install '%s' --prefix '%s'"):format(shell.build, prefix))
  return prefix
end)

--- The output of a command without access to the build, with PREFIX and HERE in its environment.
local function run(command)
  local environment = "export PREFIX='%s' HERE=$(realpath '%s') TIDE_CACHE_DIR='%s/cache' && " ..
    "cd / && unset TIDE_PATH TIDE_PLUGIN_PATH LUA_PATH LUA_CPATH && "
  return shell.run(environment:format(installed(), here, installed()) .. command)
end

describe("an installation", function()
  it("has a program that finds its plugins", function()
    equal(run [["$PREFIX/bin/tide" -e '
      local path, F = os.getenv "PREFIX" .. "/x.npz", tide.nn.functional
      tide.np.savez(path, {x = tide.ones(2, 3)})
      print((tide.np.load(path).x * 2 + 1):sum():item())
      print(F.conv2d(tide.ones(1, 1, 3, 3), tide.ones(1, 1, 3, 3)):item())
      local image = tide.full({1, 2, 2}, 128):to("uint8")
      for _, format in ipairs {"png", "jpeg"} do
        print(tide.vision.decode_image(tide.vision["encode_" .. format](image)):sum():item())
      end']], "18.0\n9.0\n512\n512\n")
  end)

  it("has a module for a stock Lua", function()
    equal(run [[LUA_CPATH="$PREFIX/lib/lua/5.4/?.so" lua5.4 -e '
      tide = require "tide"
      print(tide.ones(2) + 1)']], "tensor([2., 2.]) (2) float32 cpu\n")
  end)

  it("can be moved", function()
    local moved = shell.temporary_folder()
    shell.run(("cp -a '%s/bin' '%s/lib' '%s'"):format(installed(), installed(), moved))
    equal(run(("TIDE_CACHE_DIR= '%s/bin/tide' -e 'print((tide.ones(2) + 1):sum():item())'")
      :format(moved)), "4.0\n")
  end)

  it("serves C++ programs through find_package", function()
    run [[cmake -G Ninja -S "$HERE/consumer" -B "$PREFIX/build" -DCMAKE_PREFIX_PATH="$PREFIX" &&
      cmake --build "$PREFIX/build"]]
    equal(run [["$PREFIX/build/consumer"]], "10000 9\ncompiled\n")
  end)

  it("builds the program of docs/cpp.md", function()
    local file <close> = assert(io.open(here .. "/../../docs/cpp.md"))
    local page, folder = file:read "a", shell.temporary_folder()
    for language, name in pairs {cmake = "CMakeLists.txt", cpp = "line.cpp"} do
      local source <close> = assert(io.open(folder .. "/" .. name, "w"))
      source:write((page:match("```" .. language .. "\n(.-)```")))
    end
    run(([[cd '%s' && cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" &&
      cmake --build build]]):format(folder))
    equal(run(("'%s/build/line'"):format(folder)), page:match "build/line\n([^\n]*\n)")
  end)

  it("loads C modules made for a stock Lua", function()
    run [[cc -shared -fPIC -I/usr/include/lua5.4 "$HERE/support/counter.c" -o "$PREFIX/counter.so"]]
    equal(run [[LUA_CPATH="$PREFIX/?.so" "$PREFIX/bin/tide" -e '
      local counter = require "counter"
      local next = counter.new(5)
      next()
      print(next(), pcall(counter.new, "five"))']],
      "7\tfalse\tbad argument #1 to \'counter.new\' (number expected, got string)\n")
  end)
end)
