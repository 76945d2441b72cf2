-- The archive that `cpack` makes: everything tide needs except glibc, run from any folder.
local test = require "tide.test"
local tide = require "tide"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal, is_true = test.describe, test.it, test.same_type, test.is_true

local kLargest = 60e6

--- A script that needs all plugins.
local kScript = [[
local F = tide.nn.functional
local x = tide.np.load("x.npz").x
print((x * 2 + 1):exp():log():sum():round():item())
print(F.conv2d(tide.ones(1, 1, 3, 3), tide.ones(1, 1, 3, 3)):item())
for _, format in ipairs {"png", "jpeg"} do
  local bytes = tide.vision["encode_" .. format](tide.full({1, 2, 2}, 128):to("uint8"))
  print(tide.vision.decode_image(bytes):sum():item())
end
]]

--- A folder with the archive in `made`, its unpacked files in `un packed`, and the script with its data.
local unpacked = shell.once(function()
  local folder = shell.temporary_folder()
  shell.run(([[cd '%s' && cpack --config '%s/CPackConfig.cmake' -B made &&
    mkdir 'un packed' && tar -xf made/tide-*.tar.gz -C 'un packed' --strip-components=1]])
    :format(folder, shell.build))
  local file <close> = assert(io.open(folder .. "/script.lua", "w"))
  file:write(kScript)
  tide.np.savez(folder .. "/x.npz", {x = tide.ones(4)})
  return folder
end)

--- The output of a command in that folder with an empty environment.
local function run(command)
  local form = [[cd '%s' && env -i PATH="$PATH" TIDE_CACHE_DIR=cache sh -c '%s']]
  return shell.run(form:format(unpacked(), command:gsub("'", [['\'']])))
end

--- The files with machine code, as arguments for find.
local kCode = [[ 'un packed' -type f '(' -name '*.so*' -o -name tide ')' ]]

--- Whether a library is a part of glibc, by its name.
local function is_glibc(name)
  local part = name:match "^lib(%a+)%.so" or name:match "^(ld)%-linux"
  local parts = {c = 1, m = 1, mvec = 1, dl = 1, util = 1, pthread = 1, rt = 1, resolv = 1, ld = 1}
  return parts[part] ~= nil
end

describe("the archive", function()
  it("is one file of at most 60 MB", function()
    local size = run "cat made/tide-*.tar.gz | wc -c"
    is_true(tonumber(size) <= kLargest)
  end)

  it("has every plugin of the build", function()
    local command = "cd '%s' && ls tide-*.so && cd '%s/un packed/lib/tide' && ls tide-*.so"
    local plugins = shell.run(command:format(shell.build, unpacked()))
    local half = #plugins // 2
    equal(plugins:sub(half + 1), plugins:sub(1, half))
  end)

  it("runs from its folder", function()
    equal(run "'un packed/bin/tide' script.lua", "12.0\n9.0\n512\n512\n")
  end)

  it("opens its own libraries, and only glibc of the system", function()
    local maps = run [['un packed/bin/tide' -e '
      dofile "script.lua"
      for line in io.lines "/proc/self/maps" do print(line:match "/.*%.so[^/]*$" or "") end']]
    local foreign = {}
    for folder, name in maps:gmatch "(/[^\n]*/)([^/\n]+)" do
      if not folder:find("/un packed/", 1, true) and not is_glibc(name) then
        foreign[#foreign + 1] = folder .. name
      end
    end
    equal(foreign, {})
  end)

  it("contains every library that its files need, except glibc", function()
    local missing = {}
    local needed = run("find" .. kCode ..
      "-exec objdump -p {} + | sed -n 's/^  NEEDED  *//p' | sort -u")
    for name in needed:gmatch "[^\n]+" do
      local file <close> = io.open(unpacked() .. "/un packed/lib/tide/" .. name)
      if not file and not is_glibc(name) then missing[#missing + 1] = name end
    end
    equal(missing, {})
  end)

  it("needs glibc 2.36 or older", function()
    local newest = run("find" .. kCode .. [[-exec objdump -T {} + | grep -o 'GLIBC_2\.[0-9]*' |
      sort -V | tail -n 1]])
    local here = tonumber(run("getconf GNU_LIBC_VERSION"):match "2%.(%d+)")
    if here > 36 then test.pending(("was built with glibc 2.%d"):format(here)) end
    is_true(tonumber(newest:match "GLIBC_2%.(%d+)") <= 36)
  end)

  it("works for a stock Lua too", function()
    equal(run [[LUA_CPATH="un packed/lib/lua/5.4/?.so" lua5.4 -e '
      tide = require "tide"
      dofile "script.lua"']], "12.0\n9.0\n512\n512\n")
  end)
end)
