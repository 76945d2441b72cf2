-- The Debian package that `cpack -G DEB` makes, and the rock of `luarocks make`.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal, is_true = test.describe, test.it, test.same_type, test.is_true

--- A folder with the package in `made`, and its files in `root`.
local unpacked = shell.once(function()
  local folder = shell.temporary_folder()
  shell.run(("cd '%s' && cpack --config '%s/CPackConfig.cmake' -G DEB -B made && dpkg-deb -x made/tide_*.deb root")
    :format(folder, shell.build))
  return folder
end)

--- The output of a command in the root folder with an empty environment.
local function run(command)
  return shell.run(([[cd '%s/root' && env -i PATH="$PATH" TIDE_CACHE_DIR=../cache %s]]):format(unpacked(), command))
end

describe("the Debian package", function()
  it("depends on the libraries that it needs, and does not contain them", function()
    local depends = shell.run(("dpkg-deb -f '%s'/made/tide_*.deb Depends"):format(unpacked()))
    -- Numbers are those of the release.
    for _, package in ipairs {"libc6", "libdnnl%d", "libopenblas0", "libpng16%-16", "libzip%d"} do
      is_true(depends:find(package), depends)
    end
    local files = run "find . -name '*.so*' | sort"
    is_true(files:find("./usr/lib/tide/tide-llvm.so\n", 1, true), files)
    equal(files:find "/lib[a-z]+[%-.%d]*%.so", nil)
  end)

  it("has a program that finds its plugins", function()
    equal(run "usr/bin/tide -e 'print(((tide.ones(4) * 2):exp():log():sum()):item())'", "8.0\n")
    equal(run "usr/bin/tide -e 'print(tide.nn.functional.conv2d(tide.ones(1, 1, 3, 3), tide.ones(1, 1, 3, 3)):item())'",
      "9.0\n")
  end)

  it("has the module where a stock Lua of Debian looks for it", function()
    equal(run [[LUA_CPATH='usr/lib/lua/5.4/?.so' lua5.4 -e 'print((require "tide".ones(2) + 1):sum():item())']], "4.0\n")
  end)
end)

describe("the rock", function()
  it("has the module and its plugins in the same folder", function()
    if not os.execute "command -v luarocks >/dev/null" then test.pending "needs luarocks" end
    local tree, sources = shell.temporary_folder(), shell.temporary_folder()
    -- Uses the existing build: only the rock's installation is tested.
    local rockspec = "tide-0.1.0-1.rockspec"
    local file <close> = assert(io.open(here .. "/../../" .. rockspec))
    local text = file:read("a"):gsub('build_command = "[^"]*"', 'build_command = "true"')
      :gsub("build/release", (shell.build:gsub("%%", "%%%%")))
    local copy <close> = assert(io.open(sources .. "/" .. rockspec, "w"))
    copy:write(text):close()
    shell.run(("cd '%s' && luarocks --lua-version 5.4 --tree '%s' make %s"):format(sources, tree, rockspec))
    equal(shell.run(([[cd '%s' && env -i PATH="$PATH" TIDE_CACHE_DIR=cache LUA_CPATH='lib/lua/5.4/?.so' lua5.4 -e '
      print(((require "tide".ones(4) * 2):exp():log():sum()):item())']]):format(tree)), "8.0\n")
  end)
end)
