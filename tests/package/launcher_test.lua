-- The launcher `tide` in the top folder: installs, builds and starts only what is needed. It runs in a separate tree,
-- with fakes of dpkg-query and cmake.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/support/shell.lua")
local describe, it, equal = test.describe, test.it, test.same_type

--- A tree without a build, whose owner is not root.
local function new_tree()
  local tree = shell.temporary_folder()
  shell.run(([[cp -a '%s/../../tide' '%s/../../.ci' '%s' && cd '%s' &&
    mkdir interpreter bindings runtime scripts tools && touch CMakeLists.txt CMakePresets.json
    cat > tools/dpkg-query <<'END'
#!/usr/bin/env bash
source .ci/setup.sh
for package in "${build_packages[@]}" "${plugin_packages[@]}"; do
  case $package in
    g++|libzip-dev) [ -e tools/no-compiler ] && echo "config-files, $package, ," || echo "installed, $package, ," ;;
    libreadline8) echo "installed, libreadline8t64, libreadline8 (= 8.2), libreadline8-any," ;;
    *) echo "installed, $package, ," ;;
  esac
done
END
    cat > tools/cmake <<'END'
#!/bin/sh
echo "$*" | sed 's/-j [0-9]* //' >> tools/asked
[ ! -e tools/cmake-fails ] || { cat tools/cmake-fails; exit 1; }
[ "$1" = --preset ] && exit
echo "1 2 Building one.cpp"
echo "2 2 Linking tide"
printf '#!/bin/sh\necho "program $*"\n' > build/release/tide
chmod +x build/release/tide
END
    chmod +x tools/*
    [ $(id -u) != 0 ] || chown -R 65534 .]]):format(here, here, tree, tree))
  return tree
end

--- The output of the launcher, run by that owner, with N for the seconds left. Its exit status is in the last line if
--- it is not 0.
local function launch(tree, words)
  local printed = shell.run(([[cd '%s' && [ $(id -u) != 0 ] || drop="setpriv --reuid 65534 --clear-groups"
    env -i PATH="$PWD/tools:/usr/bin:/bin" $drop ./tide %s || echo "status $?"]])
    :format(tree, words))
  return (printed:gsub("%d+ s left", "N s left"))
end

--- The calls of cmake since the last call.
local function asked(tree)
  return shell.run(("cd '%s/tools' && touch asked && cat asked && rm asked"):format(tree))
end

local kBuilds = "--preset release\n--build --preset release --target tide\n"
local kProgress = "building tide: 1 of 2, N s left\n"

describe("the launcher", function()
  it("builds once, then only starts the program", function()
    local tree = new_tree()
    equal(launch(tree, "a 'b c'"), kProgress .. "program a b c\n")
    equal(asked(tree), kBuilds)
    equal(launch(tree, "d"), "program d\n")
    equal(asked(tree), "")
  end)

  it("builds again when a source has changed", function()
    local tree = new_tree()
    launch(tree, "")
    asked(tree)
    shell.run(("sleep 0.01; touch '%s/runtime/new.cpp'"):format(tree))
    equal(launch(tree, "e"), kProgress .. "program e\n")
    equal(asked(tree), kBuilds)
  end)

  it("prints the command for root if a package is missing, and optional packages", function()
    local tree = new_tree()
    shell.run(("touch '%s/tools/no-compiler'"):format(tree))
    equal(launch(tree, "f"), "tide needs packages that are not installed. As root:\n" ..
      "apt-get update && apt-get install -y --no-install-recommends g++ libzip-dev\nstatus 1\n")
  end)

  it("shows cmake's output when it fails, and the fix for a full disk", function()
    local tree = new_tree()
    shell.run(("echo 'ld: out: No space left on device' > '%s/tools/cmake-fails'"):format(tree))
    equal(launch(tree, "g"), "ld: out: No space left on device\nThe disk is full. A build takes 1 GB; " ..
      "with room for it, the next start goes on from here.\nstatus 1\n")
    shell.run(("rm '%s/tools/cmake-fails'"):format(tree))
    equal(launch(tree, "h"), kProgress .. "program h\n")
  end)

  it("continues an interrupted build, without incomplete files", function()
    local tree = new_tree()
    launch(tree, "")
    shell.run(([[cd '%s' && touch build/release/.building build/release/lost.o runtime/new.cpp &&
      echo words > build/release/whole.o && chmod -R a+rwX .]]):format(tree))
    equal(launch(tree, "i"), kProgress .. "program i\n")
    equal(shell.run(("cd '%s/build/release' && ls -A *.o .building 2>&1 | grep -v 'No such'"):format(tree)),
      "whole.o\n")
    shell.run(([[cd '%s' && touch build/release/.building runtime/newer.cpp && chmod a+rw build/release/.building &&
      echo 'ld: file format not recognized' > tools/cmake-fails]]):format(tree))
    equal(launch(tree, "j"), "ld: file format not recognized\nAn earlier build was cut off and may have left " ..
      "broken files: rm -rf build/release, then start again.\nstatus 1\n")
  end)

  it("runs one compiler per gigabyte of memory", function()
    local tree = new_tree()
    shell.run(([[cd '%s/tools' && printf '#!/bin/sh\necho 8\n' > nproc &&
      printf '#!/bin/sh\necho 2500000000\n' > cat && chmod +x nproc cat]]):format(tree))
    local jobs = "cd '%s' && PATH=$PWD/tools:$PATH bash -c 'source .ci/setup.sh && compiler_jobs'"
    equal(shell.run(jobs:format(tree)), "2\n")
    shell.run(("printf '#!/bin/sh\\necho 900000000\\n' > '%s/tools/cat'"):format(tree))
    equal(shell.run(jobs:format(tree)), "1\n")
  end)

  it("has a path for cmake where the environment is empty", function()
    local command = "cd '%s' && env -i bash -c 'source .ci/setup.sh && env' | grep -c ^PATH="
    equal(shell.run(command:format(new_tree())), "1\n")
  end)
end)
