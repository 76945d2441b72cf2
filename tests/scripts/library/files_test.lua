-- Files: npy, npz and safetensors, written and read back, and errors of damaged ones.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

--- The text with a byte changed, or a piece removed, doubled, truncated or added.
local function damaged(text)
  local first = math.random(#text)
  local last = math.min(#text, first + math.random(0, 20))
  local before, piece, after = text:sub(1, first - 1), text:sub(first, last), text:sub(last + 1)
  local kind = math.random(6)
  if kind == 1 then return before .. string.char(math.random(0, 255)) .. text:sub(first + 1) end
  if kind == 2 then return before .. string.char(text:byte(first) ~ 1 << math.random(0, 7)) .. text:sub(first + 1) end
  if kind == 3 then return before .. after end
  if kind == 4 then return before .. piece .. piece .. after end
  if kind == 5 then return before end
  return text .. piece
end

--- Calls fn for a tensor, or for all in a table.
local function each_tensor(value, fn)
  if tide.is_tensor(value) then return fn(value) end
  for _, entry in pairs(value) do each_tensor(entry, fn) end
end

describe("files", function()
  local path
  test.before_each(function() path = os.tmpname() end)
  test.after_each(function() os.remove(path) end)

  it("keep tensors of every type in safetensors", function()
    local state = {}
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16",
      "int8",
      "uint8", "bool"} do
      state[dtype] = tide.tensor({{0, 1, 2}, {3, 4, 5}}):to(dtype)
    end
    tide.save(state, path)
    local loaded = tide.load(path)
    for dtype, tensor in pairs(state) do test.identical(loaded[dtype], tensor) end
  end)
  it("take the path first or last, and metadata", function()
    for _, arguments in ipairs {{{x = tide.ones(2)}, path, {by = "me"}},
      {path, {x = tide.ones(2)}, {by = "me"}}} do
      tide.save(table.unpack(arguments))
      local loaded, words = tide.load(path)
      equal(loaded.x:tolist(), {1.0, 1.0})
      equal(words.by, "me")
    end
  end)
  it("keep tensors in npy", function()
    local x = tide.randn(3, 4)
    tide.np.save(path, x)
    test.identical(tide.np.load(path), x)
  end)
  it("keep several tensors in npz", function()
    local archive = path .. ".npz"
    tide.np.savez(archive, {a = tide.range(1, 3), b = tide.ones(2, 2)})
    local loaded = tide.np.load(archive)
    os.remove(archive)
    equal(loaded.a:tolist(), {1, 2, 3})
    equal(loaded.b.shape, {2, 2})
  end)
  it("store tensors in the order of their names", function()
    local names, tensors = {}, {}
    for i = 1, 20 do
      names[i] = ("%s%d"):format(("zyxab"):sub(i % 5 + 1, i % 5 + 1), i)
      tensors[names[i]] = tide.ones(1)
    end
    table.sort(names)
    local archive, found = path .. ".npz", {}
    tide.np.savez(archive, tensors)
    local bytes = io.open(archive, "rb"):read("a")
    os.remove(archive)
    for name in bytes:gmatch("PK\1\2.-(%w+)%.npy") do found[#found + 1] = name end
    equal(found, names)
  end)
  it("store the elements of a view", function()
    tide.np.save(path, tide.range(1, 6):reshape(2, 3):transpose(1, 2))
    equal(tide.np.load(path):tolist(), {{1, 4}, {2, 5}, {3, 6}})
  end)
  it("that are missing or damaged raise errors that name them", function()
    raises("/nowhere/x.npy", function() return tide.np.load("/nowhere/x.npy") end)
    write(path, "this is not a tensor")
    raises(path, function() return tide.load(path) end)
    raises(path, function() return tide.np.load(path) end)
  end)
  it("of all kinds are read or rejected with an error that names them, however they are damaged", function()
    local folder = os.tmpname()
    os.remove(folder)
    local variant = folder .. ".npz"
    local tensors = {a = tide.range(1, 6):reshape(2, 3), b = tide.ones({4}, {dtype = "bfloat16"})}
    local kinds = {
      {tide.load, function() tide.save({layers = {tensors.a, tensors.b}}, path, {by = "me"}) end},
      {tide.np.load, function() tide.np.save(path, tensors.a) end},
      {tide.np.load, function() tide.np.savez(path, {a = tensors.a, b = tensors.a}) end},
    }
    math.randomseed(5)
    local read, refused = 0, 0
    for _, kind in ipairs(kinds) do
      kind[2]()
      local good = contents(path)
      for _ = 1, 700 do
        write(variant, damaged(good))
        local ok, loaded = pcall(kind[1], variant)
        if ok then
          read = read + 1
          each_tensor(loaded, function(tensor) equal(#tensor:reshape(-1):tolist(), tensor:numel()) end)
        else
          refused = refused + 1
          if not loaded:find("^[^\n]*files_test.lua:%d+: [^\n]*" .. variant:gsub("%p", "%%%0")) then error(loaded) end
        end
      end
    end
    os.remove(variant)
    test.is_true(read > 100 and refused > 700)
  end)
  it("are not changed if saving fails", function()
    tide.np.save(path, tide.ones(2))
    test.raises("argument 2 (tensor): expected tensor, got string", tide.np.save, path, "no tensor")
    equal(tide.np.load(path):tolist(), {1.0, 1.0})
  end)
end)

--- The output of a shell command.
local function shell(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a"
end

describe("saving", function()
  local folder = own_folder()
  local x = tide.range(1, 6):reshape(2, 3)
  local kinds = {
    {name = "safetensors", save = function(path) tide.save({x = x}, path) end,
      load = function(path) return tide.load(path).x end},
    {name = "npy", save = function(path) tide.np.save(path, x) end, load = tide.np.load},
    {name = "npz", save = function(path) tide.np.savez(path, {x = x}) end,
      load = function(path) return tide.np.load(path).x end},
    {name = "packed.npz", save = function(path) tide.np.savez_compressed(path, {x = x}) end,
      load = function(path) return tide.np.load(path).x end},
  }

  for _, kind in ipairs(kinds) do
    it("writes to a device or a pipe, which is not replaced: " .. kind.name, function()
      local device, pipe = folder() .. "/null", folder() .. "/pipe"
      local copy = folder() .. "/copy." .. kind.name
      -- A separate device: a failure of this test as root must not destroy the machine's /dev/null.
      if os.execute(("mknod '%s' c 1 3 2>/dev/null"):format(device)) then
        kind.save(device)
        equal(shell(("stat -c %%F '%s'"):format(device)), "character special file\n")
      end
      assert(os.execute(("mkfifo '%s'; cat '%s' > '%s' &"):format(pipe, pipe, copy)))
      kind.save(pipe)
      for _ = 1, 1000 do
        if pcall(kind.load, copy) then break end
        os.execute "sleep 0.01"
      end
      test.identical(kind.load(copy), x)
      equal(shell(("stat -c %%F '%s'"):format(pipe)), "fifo\n")
    end)
    it("rejects a folder and keeps a link: " .. kind.name, function()
      local path, link = folder() .. "/a." .. kind.name, folder() .. "/b." .. kind.name
      raises(folder() .. ": cannot be written: Is a directory", kind.save, folder())
      os.execute(("touch '%s'; chmod 604 '%s'; ln -s a.%s '%s'"):format(path, path, kind.name, link))
      kind.save(link)
      test.identical(kind.load(path), x)
      equal(shell(("cd '%s'; stat -c '%%F %%a' *"):format(folder())),
        "regular file 604\nsymbolic link 777\n")
    end)
  end

  it("writes to standard output", function()
    local path = folder() .. "/out"
    run(([[-e 'io.write("before\n"); tide.np.save("/dev/stdout", tide.ones(2)); print "after"' >%s]])
      :format(path))
    local text = contents(path)
    equal(text:sub(1, 13), "before\n\x93NUMPY")
    equal(text:sub(-6), "after\n")
    os.execute(("head -c -6 '%s' | tail -c +8 > '%s.npy'"):format(path, path))
    equal(tide.np.load(path .. ".npy"):tolist(), {1.0, 1.0})
  end)
  it("leaves one complete file when it is killed at any time", function()
    local path = folder() .. "/a.npz"
    local script = ([[-e '
      local x = tide.ones(300000)
      while true do tide.np.savez("%s", {x = x}); tide.save({x = x}, "%s.st") end']])
      :format(path, path)
    for i = 1, 15 do run(script, ("timeout -s KILL %g"):format(0.12 + 0.02 * i)) end
    tide.np.savez(path, {x = x})
    tide.save({x = x}, path .. ".st")
    equal(shell(("ls -A '%s'"):format(folder())), "a.npz\na.npz.st\n")
  end)
end)

describe("the digits", function()
  it("are 1797 images of 8 x 8 with labels 0 to 9", function()
    local images, labels = tide.data.digits()
    equal(images.shape, {1797, 8, 8})
    equal(labels.shape, {1797})
    equal(images:max():item(), 16)
    equal(labels:max():item(), 9)
  end)
end)
