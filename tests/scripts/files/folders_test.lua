-- Folders, kinds and sizes of files, as used by the library through tide.native.
local test = require "tide.test"
local native = require "tide.native"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

describe("folders", function()
  local folder = own_folder()

  it("are created with their parents", function()
    local path = folder() .. "/a/b c/d"
    equal({native.make_folders(path), native.make_folders(path), native.file_kind(path)}, {true, false, "folder"})
    equal({native.make_folders(folder() .. "/a/e//"), native.make_folders "/"}, {true, false})
    equal(native.list_folder(folder() .. "/a"), {"b c", "e"})
    raises("expected the name of a folder, got an empty string", native.make_folders, "")
    raises("expected the name of a folder, got a zero byte in it", native.make_folders, folder() .. "/x\0y")
    write(folder() .. "/file", "abc")
    raises(folder() .. "/file/x: cannot be made: Not a directory", native.make_folders, folder() .. "/file/x")
    raises(folder() .. "/file: cannot be made: Not a directory", native.make_folders, folder() .. "/file")
    raises("cannot be made: File name too long", native.make_folders, folder() .. "/" .. ("x"):rep(300))
  end)
  it("are listed in byte order of the names, with kinds", function()
    native.make_folders(folder() .. "/b")
    for _, name in ipairs {"a.png", "B", "ä", "a", ".hidden"} do write(folder() .. "/" .. name, name) end
    os.execute(("cd '%s' && ln -s b to_folder && ln -s a to_file && ln -s none nowhere && mkfifo pipe")
      :format(folder()))
    local names, kinds = native.list_folder(folder())
    equal(names, {".hidden", "B", "a", "a.png", "b", "nowhere", "pipe", "to_file", "to_folder", "ä"})
    equal(kinds, {"file", "file", "file", "file", "folder", "other", "other", "file", "folder", "file"})
    raises(folder() .. "/none: cannot be listed: No such file or directory", native.list_folder, folder() .. "/none")
    raises(folder() .. "/a: cannot be listed: Not a directory", native.list_folder, folder() .. "/a")
  end)
  it("and files have a kind and a size", function()
    write(folder() .. "/file", "abc")
    equal({native.file_kind(folder() .. "/file")}, {"file", 3})
    equal({native.file_kind(folder()), native.file_kind "/dev/null"}, {"folder", "other"})
    equal({native.file_kind(folder() .. "/none"), native.file_kind(folder() .. "/file/x")}, {})
  end)
  it("of the sandbox are its own only", function()
    write(folder() .. "/script.lua", [[
      local tide, native = require "tide", require "tide.native"
      local scratch = tide.scratch()
      print(native.make_folders(scratch .. "/a/b"), native.file_kind(scratch .. "/a/b"))
      print(#native.list_folder(scratch), native.list_folder(".")[1])
      os.remove(scratch .. "/a/b")
      print(#native.list_folder(scratch .. "/a"))
      for _, path in ipairs {"here", scratch .. "/../x", scratch .. "/a/../../x/y", "/tmp/tide-x/y", "link/x"} do
        print(select(2, pcall(native.make_folders, path)))
      end
      for name, limit in pairs {list_folder = false, file_kind = false, md5 = false, read_bytes = 9} do
        for _, path in ipairs {"/etc", "..", "link"} do print(select(2, pcall(native[name], path, limit or nil))) end
      end
      local names, kinds = native.list_folder "."
      for i, name in ipairs(names) do print(name, kinds[i]) end]])
    os.execute(("ln -s /etc '%s/link'"):format(folder()))
    local output = run(("run --sandbox '%s/script.lua'"):format(folder()), ("cd '%s';"):format(folder()))
    local lines = {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    equal(table.move(lines, 1, 3, 1, {}), {"true\tfolder", "1\tlink", "0"})
    for i = 4, 8 do test.is_true(lines[i]:find "outside the sandbox: only .* may be written$", lines[i]) end
    for i = 9, 20 do test.is_true(lines[i]:find "outside the sandbox: only .* may be read$", lines[i]) end
    equal(table.move(lines, 21, #lines, 1, {}), {"link\tother", "script.lua\tfile"})
  end)
end)
