-- Plugins that are built when they are first needed.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal, is_true = test.describe, test.it, test.same_type, test.is_true

--- A build folder with only the program, and with `steps` as the build of a plugin.
local function new_build(steps)
  local folder = shell.temporary_folder()
  shell.run(([[cd '%s' && cp '%s/tide' . && ln -s '%s'/tide-llvm.so . && cat > build-plugin <<'END'
#!/bin/sh
echo "building $1"
%s
END
    chmod +x build-plugin]]):format(folder, shell.build, shell.build, steps))
  return folder
end

--- The output of the folder's program for a decomposition, which needs OpenBLAS.
local function decompose(folder)
  return shell.run(([[cd '%s' && unset TIDE_PLUGIN_PATH &&
    echo rest | ./tide -e 'print(tide.linalg.eigvalsh(tide.eye(2)):tolist()[1]); print(io.read())' || echo "status $?"]])
    :format(folder))
end

describe("a plugin that is missing in a build folder", function()
  it("is built when it is first needed, without the script's input and output", function()
    local folder = new_build(("cat; ln -s '%s/tide-lapack.so' \"${0%%/*}\""):format(shell.build))
    equal(decompose(folder), "building tide-lapack.so\n1.0\nrest\n")
    equal(decompose(folder), "1.0\nrest\n")
  end)

  it("is an error if it cannot be built", function()
    local said = decompose(new_build("echo no compiler; exit 1"))
    is_true(said:find("^building tide%-lapack%.so\nno compiler\n"))
    is_true(said:find("tide-lapack.so could not be built: see above", 1, true))
    is_true(said:find("status 1", 1, true))
  end)

  it("is an error that says where it belongs where nothing builds it", function()
    local folder = new_build("")
    shell.run(("rm '%s/build-plugin'"):format(folder))
    is_true(decompose(folder):find("install tide-lapack.so beside tide", 1, true))
  end)
end)
