-- Files of other programs: element types that tide lacks, harmless damage, files of other formats.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")
local files = here .. "/foreign/"

local function write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

--- A file of tensors: header and bytes.
local function safetensors(header, data) return string.pack("<s8", header) .. data end

-- Writing PNG --------------------------------------------------------------------------------------

local kCrc <const> = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do c = c % 2 == 1 and 0xedb88320 ~ (c >> 1) or c >> 1 end
  kCrc[n] = c
end

local function chunk(kind, data)
  local crc = 0xffffffff
  for byte in (kind .. data):gmatch "." do crc = kCrc[(crc ~ byte:byte()) & 0xff] ~ (crc >> 8) end
  return string.pack(">I4", #data) .. kind .. data .. string.pack(">I4", crc ~ 0xffffffff)
end

--- Uncompressed bytes in zlib's format.
local function stored(data)
  local a, b = 1, 0
  for byte in data:gmatch "." do
    a = (a + byte:byte()) % 65521
    b = (b + a) % 65521
  end
  return "\x78\x01\x01" .. string.pack("<I2I2", #data, ~#data & 0xffff) .. data .. string.pack(">I2I2", b, a)
end

--- A PNG of rows of bytes; `more` are chunks before the pixels.
local function png(width, depth, color, rows, more)
  local data = "\0" .. table.concat(rows, "\0")
  return "\x89PNG\r\n\x1a\n" .. chunk("IHDR", string.pack(">I4I4", width, #rows) .. string.char(depth, color, 0, 0, 0)) ..
    (more or "") .. chunk("IDAT", stored(data)) .. chunk("IEND", "")
end

describe("arrays of types that tide lacks", function()
  local folder = own_folder()
  it("are widened: unsigned integers", function()
    local x = tide.np.load(files .. "u16.npy")
    equal({x.dtype, x:tolist()}, {"int32", {1, 300, 65535}})
    local function npy(descr, bytes, count)
      local header = ("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }"):format(descr, count)
      return "\x93NUMPY\1\0" .. string.pack("<s2", header .. (" "):rep(118 - #header) .. "\n") .. bytes
    end
    local path = folder() .. "/a.npy"
    write(path, npy(">u2", "\1\2\xff\xff", 2))
    equal(tide.np.load(path):tolist(), {258, 65535})
    write(path, npy("<u4", string.pack("<I4I4", 1, 4294967295), 2))
    x = tide.np.load(path)
    equal({x.dtype, x:tolist()}, {"int64", {1, 4294967295}})
    write(path, npy("<u8", string.pack("<I8I8", 7, math.maxinteger), 2))
    x = tide.np.load(path)
    equal({x.dtype, x:tolist()}, {"int64", {7, math.maxinteger}})
    write(path, npy("<u8", string.pack("<I8I8", 7, math.mininteger), 2))
    raises("a.npy: holds 9223372036854775808, which int64 cannot hold", tide.np.load, path)
  end)
  it("are widened in safetensors files too", function()
    local path = folder() .. "/a.safetensors"
    write(path, safetensors('{"a":{"dtype":"U16","shape":[2],"data_offsets":[0,4]},' ..
      '"b":{"dtype":"U32","shape":[1],"data_offsets":[4,8]},"c":{"dtype":"U64","shape":[1],"data_offsets":[8,16]}}',
      string.pack("<I2I2I4I8", 1, 65535, 4000000000, 5)))
    local x = tide.load(path)
    equal({x.a.dtype, x.b.dtype, x.c.dtype}, {"int32", "int64", "int64"})
    equal({x.a:tolist(), x.b:tolist(), x.c:tolist()}, {{1, 65535}, {4000000000}, {5}})
  end)
  it("of text are skipped among others", function()
    local arrays = tide.np.load(files .. "names_and_numbers.npz")
    equal(arrays.x:tolist(), {0.0, 1.0, 2.0})
    equal(arrays.names, nil)
  end)
  it("may have sizes in Python 2's notation", function()
    equal(tide.np.load(files .. "py2_shape.npy"):tolist(), {7, 8, 9})
  end)
end)

describe("tide.load of a part", function()
  local folder = own_folder()
  it("reads the given names, and the names below them", function()
    local path = folder() .. "/a.safetensors"
    local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.Linear(3, 1))
    tide.save({net = net, other = tide.ones(4), step = 7}, path)
    local part = tide.load(path, {only = {"net.0"}})
    equal({part.step, part.other == nil, part.net["1.weight"] == nil}, {7, true, true})
    test.equal(part.net["0.weight"], net[1].weight:detach())
    test.equal(tide.load(path, "cpu", {only = {"other"}}).other, tide.ones(4))
    equal(tide.load(path, {only = {}}).step, 7)
    raises("load: only: " .. path .. " has no tensor 'nets', nor any with that prefix", tide.load, path, {only = {"nets"}})
    raises("load: option 'only': expected table of strings, got string", tide.load, path, {only = "net"})
  end)
  it("reads files by their index", function()
    tide.save({a = tide.ones(2)}, folder() .. "/one.safetensors")
    tide.save({b = tide.zeros(3), c = tide.ones(1)}, folder() .. "/two.safetensors")
    local path = folder() .. "/model.safetensors.index.json"
    write(path, '{"metadata": {}, "weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}')
    local x = tide.load(path)
    equal({x.a:tolist(), x.b:tolist(), x.c == nil}, {{1.0, 1.0}, {0.0, 0.0, 0.0}, true})
    equal({tide.load(path, {only = {"b"}}).a == nil, tide.load(path, {only = {"b"}}).b:size(1)}, {true, 3})
    write(path, '{"weight_map": {"d": "two.safetensors"}}')
    raises("two.safetensors has no tensor 'd'", tide.load, path)
    write(path, '{"weight_map": {"a": "../one.safetensors"}}')
    raises("expected names of tensors and of files in the same folder", tide.load, path)
    write(path, "[]")
    raises("is not an index of safetensors files: it has no weight_map", tide.load, path)
  end)
end)

describe("files of other formats", function()
  local folder = own_folder()
  local kKinds <const> = {
    {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "a Git LFS pointer"},
    {"\x89HDF\r\n\x1a\n0123456789", "an HDF5 file"}, {"\x1c\0\0\0TFL3\0\0\0\0\0\0", "a TensorFlow Lite model"},
    {"GGUF\3\0\0\0\0\0\0\0\0\0", "a GGUF file"}, {"\n <!DOCTYPE HTML><html></html>", "an HTML page"},
    {"<html><body>404</body></html>", "an HTML page"}, {"\x1f\x8b\8\0\0\0\0\0\0\0\0", "packed by gzip"},
    {"\x80\4\x95\0\0\0\0\0\0\0\0", "a Python pickle"},
  }
  for _, kind in ipairs(kKinds) do
    it("are recognized: " .. kind[2], function()
      local path = folder() .. "/a"
      write(path, kind[1])
      raises("is not a safetensors file, or cut short: it is " .. kind[2], tide.load, path)
      raises("it is " .. kind[2], tide.np.load, path)
    end)
  end
end)

describe("images of other programs", function()
  local folder = own_folder()
  local read = tide.vision.read_image
  it("keep samples of 16 bits in the mode unchanged", function()
    local x = read(files .. "gray16.png")
    equal({x.dtype, x:tolist()}, {"int32", {{{1, 2, 3, 255}, {256, 1000, 40000, 65535}}}})
    equal(read(files .. "gray16.png", {mode = "gray"}).dtype, "uint8")
    local path = folder() .. "/a.png"
    write(path, png(2, 16, 2, {"\1\0\2\0\3\0\0\4\0\5\0\6"}))
    equal(read(path):tolist(), {{{256, 4}}, {{512, 5}}, {{768, 6}}})
  end)
  it("keep palette indices in the mode unchanged", function()
    local palette = chunk("PLTE", "\xff\0\0\0\xff\0\0\0\xff\1\2\3")
    local path = folder() .. "/a.png"
    write(path, png(3, 8, 3, {"\0\1\2", "\3\3\0"}, palette))
    local x = read(path)
    equal({x.dtype, x:tolist()}, {"uint8", {{{0, 1, 2}, {3, 3, 0}}}})
    equal(read(path, {mode = "rgb"}):tolist(),
      {{{255, 0, 0}, {1, 1, 255}}, {{0, 255, 0}, {2, 2, 0}}, {{0, 0, 255}, {3, 3, 0}}})
    write(path, png(3, 2, 3, {"\x1b"}, palette .. chunk("tRNS", "\0"))) -- four pixels per byte
    equal(read(path):tolist(), {{{0, 1, 2}}})
  end)
  it("have the same gray values for any declared gamma", function()
    local plain, gamma = read(files .. "plain.png", {mode = "gray"}), read(files .. "gamma.png", {mode = "gray"})
    test.identical(plain, gamma)
  end)
  it("are read despite damage that affects some pixels, unless the end is missing", function()
    equal(read(files .. "flipped.jpg").shape[2], 64)
    local whole <close> = assert(io.open(files .. "flipped.jpg", "rb"))
    local path = folder() .. "/a.jpg"
    write(path, whole:read("a"):sub(1, 400))
    raises("a.jpg: is a damaged JPEG picture", read, path)
  end)
end)
