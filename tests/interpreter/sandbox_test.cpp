// The sandbox: permitted actions work, and known escapes are blocked.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;
using test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

/// A folder with a script, and a secret outside of it.
struct House {
  TemporaryFolder folder;
  std::string home = folder.path() + "/home", secret = folder.path() + "/secret.lua";

  House() {
    fs::create_directory(home);
    folder.write("secret.lua", "return 'secret'");
    folder.write("home/data.txt", "data");
    folder.write("home/part.lua", "return 'part'");
  }

  Outcome run(const std::string& script, std::vector<std::string> options = {}) const {
    folder.write("home/main.lua", "SECRET = '" + secret + "' HOME = '" + home + "'\n" + script);
    std::vector<std::string> words = {"run", "--sandbox"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(home + "/main.lua");
    return run_tide(words, "", home);
  }
};

}  // namespace

TEST_CASE("a script in the sandbox reads its folder and writes the scratch folder", "[sandbox]") {
  const House house;
  const Outcome outcome = house.run(R"(
    print(io.open("data.txt"):read "a", io.open(HOME .. "/../home/data.txt"):read "a")
    print(require "part", dofile "part.lua", loadfile("part.lua")())
    for line in io.lines "data.txt" do print(line) end
    local path = tide.scratch() .. "/x"
    io.open(path, "w"):write("kept"):close()
    os.rename(path, path .. "2")
    print(io.open(path .. "2"):read "a", os.remove(path .. "2"))
    for _, name in ipairs {".npy", ".npz", ".safetensors"} do
      local file, x = path .. name, tide.ones(2)
      if name == ".npy" then tide.np.save(file, x) print(tide.np.load(file):sum():item()) end
      if name == ".npz" then tide.np.savez(file, {x = x}) print(tide.np.load(file).x:sum():item()) end
      if name == ".safetensors" then tide.save({x = x}, file) print(tide.load(file).x:sum():item()) end
    end
    local temporary = io.tmpfile()
    temporary:write "t" temporary:seek "set" print(temporary:read "a")
    print(os.tmpname():sub(1, #tide.scratch()) == tide.scratch())
    print(tide.np.load_embedded("data/digits.npz").images:size(1))
  )");
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "data\tdata\npart\tpart\tpart\ndata\nkept\ttrue\n2.0\n2.0\n2.0\nt\ntrue\n1797\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("the sandbox does not affect tide's own work", "[sandbox]") {
  const House house;
  const Outcome outcome = house.run(R"(
    local nn = require "tide.nn"
    local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    local x = tide.ones(3, 4, {device = "sim"}):cpu()
    net(x):sum():backward()
    print(net[1].weight.grad.shape[1], tide.linalg.inv(tide.eye(2)):sum():item())
    print(nn.Conv2d(1, 1, 3)(tide.ones(1, 1, 8, 8)).shape[4])
    print(pcall(net.forward, net, tide.ones(3, 5)))
    print(pcall(function() return tide.onse end))
  )");
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, StartsWith("8\t2.0\n6\nfalse\t"));
  CHECK_THAT(outcome.out, ContainsSubstring("Linear 4 -> 8") && ContainsSubstring("did you mean"));
  CHECK(outcome.status == 0);
}

TEST_CASE("threads and processes are not allowed in the sandbox", "[sandbox]") {
  const House house;
  const Outcome outcome = house.run(R"(
    print(pcall(function() return tide.thread(function() return 1 end):join() end))
    print(pcall(function()
      for _ in tide.data.DataLoader({1, 2}, {num_workers = 1}) do end
    end))
    print(pcall(tide.channel))
    print(pcall(tide.process, print))
  )");
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out,
             ContainsSubstring(
                 "main.lua:3: thread: threads and processes are not allowed in the sandbox"));
  CHECK_THAT(outcome.out,
             ContainsSubstring(
                 "main.lua:5: DataLoader: threads and processes are not allowed in the sandbox"));
  CHECK_THAT(outcome.out,
             ContainsSubstring("channel: threads and processes are not allowed in the sandbox"));
  CHECK_THAT(outcome.out,
             ContainsSubstring("process: threads and processes are not allowed in the sandbox"));
}

TEST_CASE("no file outside is opened in the sandbox, by any path", "[sandbox]") {
  const House house;
  fs::create_symlink(house.secret, house.home + "/link.lua");
  fs::create_directory_symlink(house.folder.path(), house.home + "/out");
  fs::create_symlink(house.folder.path() + "/new", house.home + "/dangling");
  REQUIRE(mkfifo((house.home + "/pipe").c_str(), 0600) == 0);
  const Outcome outcome = house.run(R"(
    local paths = {SECRET, "../secret.lua", HOME .. "/../secret.lua", "./x/../../secret.lua", "link.lua",
                   "out/secret.lua", "/proc/self/cwd/../secret.lua", "/proc/self/environ", "/proc/self/mem",
                   "/proc/self/fd/1", "/dev/zero", "/dev/tty", "/dev/stdout", "/etc/passwd", "pipe", "",
                   tide.scratch() .. "/../secret.lua", "/proc/self/root" .. SECRET, "//etc/passwd"}
    local readers = {
      open = io.open, lines = io.lines, input = io.input, loadfile = loadfile, dofile = dofile,
      load = tide.load, np = tide.np.load,
      npz = function(path) return tide.np.load(path:gsub("secret.lua", "secret.npz")) end,
      searchpath = function(path) return package.searchpath("x", path) end,
    }
    for _, path in ipairs(paths) do
      for name, read in pairs(readers) do
        local done, result = pcall(read, path)
        if done and result then print(name, path, result) end
      end
    end
    local writers = {
      open = function(path) return io.open(path, "w") end,
      append = function(path) return io.open(path, "a") end,
      update = function(path) return io.open(path, "r+") end,
      output = io.output, remove = os.remove,
      rename = function(path) return os.rename("data.txt", path) end,
      out = function(path) return os.rename(path, tide.scratch() .. "/x") end,
      save = function(path) tide.save({tide.ones(1)}, path) return true end,
      np = function(path) tide.np.save(path, tide.ones(1)) return true end,
      npz = function(path) tide.np.savez(path, {x = tide.ones(1)}) return true end,
      text = function(path) require "tide.native".write_file(path, "") return true end,
      manual = function(path) require "tide.manual.annotations".write(path) return true end,
    }
    for _, path in ipairs {"data.txt", "new.txt", "dangling", "out/new", HOME .. "/new",
                           tide.scratch() .. "/../new", "/tmp/tide-sandbox-new", "/dev/null",
                           table.unpack(paths)} do
      for name, write in pairs(writers) do
        local done, result = pcall(write, path)
        if done and result then print(name, path, result) end
      end
    end
    print(io.open(SECRET))
    print(select(2, pcall(tide.load, SECRET)))
  )");
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, StartsWith("nil\t" + house.secret + ": not allowed in the sandbox\t1\n"));
  CHECK_THAT(outcome.out, ContainsSubstring(house.secret + ": outside the sandbox: only " +
                                            house.home + " and ") &&
                              ContainsSubstring(" may be read\n"));
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 2);
  CHECK(outcome.status == 0);
  CHECK(test::read_file(house.secret) == "return 'secret'");
  CHECK(test::read_file(house.home + "/data.txt") == "data");
  CHECK_FALSE(fs::exists(house.folder.path() + "/new"));
}

TEST_CASE("TIDE_PATH opens no files outside the library", "[sandbox]") {
  const House house;
  fs::create_directory(house.folder.path() + "/tree");
  setenv("TIDE_PATH", (house.folder.path() + "/tree").c_str(), 1);
  const std::string script = R"(
    for _, path in ipairs {SECRET, "../secret.lua"} do print(pcall(tide.np.load_embedded, path)) end
  )";
  const Outcome sandboxed = house.run(script);
  const Outcome free = run_tide({"home/main.lua"}, "", house.folder.path());
  unsetenv("TIDE_PATH");
  for (const Outcome& outcome : {sandboxed, free})
    CHECK_THAT(outcome.out, ContainsSubstring("no file '" + house.secret + "' in tide") &&
                                ContainsSubstring("no file '../secret.lua' in tide"));
}

TEST_CASE("the files in the folder TIDE_PATH are part of the library", "[sandbox]") {
  const House house;
  fs::create_directories(house.folder.path() + "/tree/tide/nn");
  house.folder.write("tree/tide/nn/extra.lua", "return 'extra'");
  house.folder.write("tree/tide/more.lua", "return 'more'");
  setenv("TIDE_PATH", (house.folder.path() + "/tree").c_str(), 1);
  const Outcome outcome =
      run_tide({"-e", "print(require 'tide.nn.extra', (require 'tide.more'))"}, "", house.home);
  unsetenv("TIDE_PATH");
  CHECK_THAT(outcome.out, StartsWith("extra\t") && EndsWith("more\n"));
}

TEST_CASE("the sandbox has no processes, no environment and no C modules", "[sandbox]") {
  const House house;
  setenv("TIDE_SANDBOX_SECRET", "seen", 1);
  const Outcome outcome = house.run(R"(
    print(pcall(os.execute, "echo ran"))
    print(pcall(io.popen, "echo ran"))
    print(pcall(package.loadlib, "libm.so.6", "*"))
    print(os.getenv "TIDE_SANDBOX_SECRET", os.getenv "HOME")
    package.cpath = "/usr/lib/x86_64-linux-gnu/lua/5.4/?.so;/tmp/?.so"
    print((select(2, pcall(require, "lfs")):gsub("\n.*", "")))
    print(#package.searchers, next(package.preload))
  )");
  CHECK(outcome.out ==
        "false\tos.execute: not allowed in the sandbox\n"
        "false\tio.popen: not allowed in the sandbox\n"
        "false\tpackage.loadlib: not allowed in the sandbox\n"
        "nil\tnil\nmodule 'lfs' not found:\n3\tnil\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("debug and metatables offer no escape from the sandbox", "[sandbox]") {
  const House house;
  const Outcome outcome = house.run(R"(
    for name in pairs(debug) do print(name) end
    print(require "debug" == debug, package.loaded.debug == debug)
    print(load(string.dump(function() end)))
    -- What a script puts in the place of basic functions does not see what the library's debug reads.
    local seen
    local function spy(...)
      for _, value in ipairs {...} do
        if type(value) == "table" and rawget(value, "debug") and value ~= _G then seen = value end
      end
    end
    local equal = rawequal
    function rawequal(...) spy(...) return equal(...) end
    local nn = require "tide.nn"
    pcall(nn.Sequential(nn.Linear(4, 8)), tide.ones(3, 5))
    print(seen)
    -- A file's methods on something else, and a finalizer called by hand.
    local file = getmetatable(io.stdout)
    print(pcall(file.__index.read, setmetatable({}, file)))
    print(pcall(file.__gc, tide.ones(1)))
    print(pcall(setmetatable, io.stdout, {}))
    -- From a coroutine, a finalizer, a hook of strings.
    local function try() return io.open(SECRET) or io.open("/etc/passwd") end
    print(coroutine.wrap(try)())
    setmetatable({}, {__gc = function() print((try())) end})
    collectgarbage()
    getmetatable("").__index = function(_, name) return string[name] end
    print(("x"):rep(2), getmetatable("").__name)
    setmetatable({}, {__gc = function() print((try())) end})
  )");
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, StartsWith("traceback\ntrue\ttrue\nnil\tattempt to load a binary chunk"));
  CHECK_THAT(outcome.out, ContainsSubstring("allow them\nnil\nfalse\tbad argument"));
  CHECK_THAT(outcome.out, ContainsSubstring("got tide.Tensor)\nfalse\tbad argument") &&
                              ContainsSubstring("\nnil\nxx\tnil\nnil\n"));
  CHECK(outcome.status == 0);
}

TEST_CASE("the scratch folder is removed at the end unless it was named", "[sandbox]") {
  const House house;
  const char* script = "print(tide.scratch()) io.open(tide.scratch() .. '/x', 'w'):close()";
  std::string path = house.run(script).out;
  REQUIRE(!path.empty());
  path.pop_back();
  CHECK_FALSE(fs::exists(path));
  const TemporaryFolder kept;
  CHECK(house.run(script, {"--scratch", kept.path()}).out ==
        fs::canonical(kept.path()).string() + "\n");
  CHECK(fs::exists(kept.path() + "/x"));
  CHECK_THAT(house.run(script, {"--scratch", kept.path() + "/none"}).err,
             ContainsSubstring("is not a folder"));
}

TEST_CASE("texts and standard input can run in the sandbox, and read no files", "[sandbox]") {
  const House house;
  const char* input = "print(io.open 'data.txt') print(pcall(os.execute))";
  const std::string refused =
      "nil\tdata.txt: not allowed in the sandbox\t1\nfalse\tos.execute: not allowed in the "
      "sandbox\n";
  CHECK(run_tide({"--sandbox", "-e", input}, "", house.home).out == refused);
  CHECK(run_tide({"run", "--sandbox", "-"}, input, house.home).out == refused);
  house.folder.write("home/show.lua", "print(io.open 'data.txt' ~= nil, ...)");
  CHECK(run_tide({"--sandbox", "show.lua", "a"}, "", house.home).out == "true\ta\n");
  setenv("LUA_INIT", "print 'init'", 1);
  CHECK(run_tide({"--sandbox", "-e", "print(1)"}).out == "1\n");
  unsetenv("LUA_INIT");
}

TEST_CASE("a missing script is reported as usual in the sandbox", "[sandbox]") {
  const House house;
  const Outcome outcome = run_tide({"run", "--sandbox", "none.lua"}, "", house.home);
  CHECK(outcome.err == "tide: cannot open none.lua: No such file or directory\n");
  CHECK(outcome.status == 1);
}

TEST_CASE("the sandbox and binary chunks cannot be combined", "[sandbox]") {
  const Outcome outcome = run_tide({"--sandbox", "--binary-chunks", "-e", "print(1)"});
  CHECK_THAT(outcome.err,
             ContainsSubstring("--sandbox and --binary-chunks are mutually exclusive"));
  CHECK(outcome.out.empty());
  CHECK(outcome.status == 1);
}
