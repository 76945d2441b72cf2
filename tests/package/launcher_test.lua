-- The launcher `tide` in the top folder: installs, builds and starts what it should, and no more.
-- It runs in a tree of its own, with stand-ins for dpkg-query and cmake.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal = test.describe, test.it, test.same_type

--- A tree with nothing built in it, whose owner is not root.
local function new_tree()
  local tree = shell.temporary_folder()
  shell.run(([[cp -a '%s/../../tide' '%s/../../.ci' '%s' && cd '%s' &&
    mkdir interpreter bindings runtime scripts tools && touch CMakeLists.txt CMakePresets.json
    cat > tools/dpkg-query <<'END'
#!/bin/sh
for package; do :; done
[ "$package" = g++ ] && [ -e tools/no-compiler ] || echo installed
END
    cat > tools/cmake <<'END'
#!/bin/sh
echo "cmake $*"
[ "$1" = --preset ] || printf '#!/bin/sh\necho "program $*"\n' > build/release/tide
chmod +x build/release/tide 2>/dev/null || true
END
    chmod +x tools/*
    [ $(id -u) != 0 ] || chown -R 65534 .]]):format(here, here, tree, tree))
  return tree
end

--- What the launcher prints, run by that owner. Its exit status is in the last line if it is not 0.
local function launch(tree, words)
  return shell.run(([[cd '%s' && [ $(id -u) != 0 ] || drop="setpriv --reuid 65534 --clear-groups"
    env -i PATH="$PWD/tools:/usr/bin:/bin" $drop ./tide %s || echo "status $?"]])
    :format(tree, words))
end

local kBuilds = "cmake --preset release\ncmake --build --preset release --target tide\n"

describe("the launcher", function()
  it("builds once, then only starts the program", function()
    local tree = new_tree()
    equal(launch(tree, "a 'b c'"), kBuilds .. "program a b c\n")
    equal(launch(tree, "d"), "program d\n")
  end)

  it("builds again when a source has changed", function()
    local tree = new_tree()
    launch(tree, "")
    shell.run(("sleep 0.01; touch '%s/runtime/new.cpp'"):format(tree))
    equal(launch(tree, "e"), kBuilds .. "program e\n")
  end)

  it("says what to run as root when a package is missing", function()
    local tree = new_tree()
    shell.run(("touch '%s/tools/no-compiler'"):format(tree))
    equal(launch(tree, "f"), "tide needs packages that are not installed. As root:\n" ..
      "apt-get update && apt-get install -y --no-install-recommends g++\nstatus 1\n")
  end)

  it("has a path for cmake where the environment is empty", function()
    local command = "cd '%s' && env -i bash -c 'source .ci/setup.sh && env' | grep -c ^PATH="
    equal(shell.run(command:format(new_tree())), "1\n")
  end)
end)
