-- tide.load_torch and tide.save_torch: files that PyTorch wrote, and files for PyTorch.
local native = require "tide.native"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")
local files = here .. "/torch_files/"

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

--- The members of an archive: a list of {name, contents}.
local function members_of(path)
  local archive, list = native.archives.open(path), {}
  for name, member in pairs(archive:members()) do list[#list + 1] = {name, archive:text(member.number)} end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

--- Writes an archive of torch.save with this pickle and with other members.
local function write_pickle(path, pickle, members)
  local list = {{"a/data.pkl", pickle}, table.unpack(members or {})}
  native.archives.write(path, list)
end

--- Three steps of the training that make.py describes.
local function three_steps(layer, optimizer, x)
  for _ = 1, 3 do
    optimizer:zero_grad()
    layer(x):pow(2):sum():backward()
    optimizer:step()
  end
end

describe("load_torch", function(device)
  local folder = own_folder()

  it("reads every nonzero byte of a boolean as true", function()
    local members, path = members_of(files .. "values.pt"), folder() .. "/booleans.pt"
    for _, member in ipairs(members) do
      if member[2] == "\0\1\1" then member[2] = "\0\2\255" end
    end
    native.archives.write(path, members)
    equal(tide.load_torch(path, device).types.bool:to("uint8"):tolist(), {0, 1, 1})
  end)

  for _, name in ipairs {"values.pt", "values_protocol_4.pt", "values_old.pt"} do
    it("reads tensors of all types and layouts: " .. name, function()
      local state = tide.load_torch(files .. name, device)
      local base = tide.range(0, 11):reshape(3, 4):to("float32")
      equal(state.base, base:to(device))
      equal(state.transposed:tolist(), base.T:tolist())
      equal(state.row:tolist(), {4.0, 5.0, 6.0, 7.0})
      equal({state.scalar:item(), state.scalar:dim()}, {3, 0})
      equal(state.empty.shape, {0, 3})
      equal(state.expanded:tolist(), {{7.0, 7.0, 7.0}, {7.0, 7.0, 7.0}})
      equal(state.channels_last, tide.range(0, 15):reshape(1, 2, 2, 4):to(device, "float32"))
      test.is_true(state.channels_last:is_contiguous "channels_last")
      for dtype, tensor in pairs(state.types) do
        equal({tensor.dtype, tostring(tensor.device)}, {dtype, tostring(tide.device(device))})
        test.identical(tensor, tide.tensor({0, 1, 2}):to(device, dtype))
      end
    end)
  end

  it("reads files that save_torch wrote from tensors on a device", function()
    local path, x = os.tmpname(), tide.randn({3, 4}, {device = device})
    test.finally(function() os.remove(path) end)
    tide.save_torch({x.T, x * 2}, path)
    equal(tide.load_torch(path, {device = device}), {x.T, x * 2})
  end)
end)

describe("load_torch", function()
  local folder = own_folder()

  it("returns plain values of all kinds", function()
    for _, name in ipairs {"values.pt", "values_protocol_4.pt", "values_old.pt"} do
      equal(tide.load_torch(files .. name).plain, {
        integer = 3, large = 1 << 40, least = math.mininteger, float = 2.5, text = "h\u{e9}", yes = true,
        no = false, bytes = "\0\xff", list = {[1] = 1, [3] = "x"}, tuple = {1, {2, 3}},
        set = {[1] = true, [2] = true}, size = {3, 4}, dtype = "bfloat16", device = "cuda:1",
        defaults = {x = {1}}, [0] = "zero", [-5] = "negative",
      })
    end
  end)
  it("shares what PyTorch shares", function()
    for _, name in ipairs {"values.pt", "values_old.pt"} do
      local state = tide.load_torch(files .. name)
      test.is_true(rawequal(state.tied, state.same))
      test.is_false(state.tied.requires_grad)
      state.base[{2, 3}] = 100
      equal({state.transposed[{3, 2}]:item(), state.row[3]:item()}, {100.0, 100.0})
    end
  end)
  it("continues a training of PyTorch", function()
    local makers = {
      ["adam.pt"] = function(parameters) return tide.optim.Adam(parameters, {amsgrad = true}) end,
      ["sgd.pt"] = tide.optim.SGD,
    }
    for name, make in pairs(makers) do
      local checkpoint = tide.load_torch(files .. name)
      local layer = tide.nn.Linear(3, 2)
      local optimizer = make(layer:parameters())
      layer:load_state_dict(checkpoint.model)
      optimizer:load_state_dict(checkpoint.optimizer)
      equal({checkpoint.epoch, optimizer.param_groups[1].params[1] == layer.weight}, {3, true})
      three_steps(layer, optimizer, checkpoint.x)
      test.close(layer.weight:detach(), checkpoint.later, {rtol = 1e-5, atol = 1e-7})
    end
  end)
  it("reports everything that it cannot read", function()
    raises("refused.pt: holds objects of __main__.Net, objects of torch.nn.modules.linear.Linear, complex " ..
      "tensors, sparse tensors, tensors of uint16, dicts and sets with a key that is a tuple, integers of 9 " ..
      "bytes, which do not fit into 8: only dense tensors and plain values can be read, such as a state_dict()",
      tide.load_torch, files .. "refused.pt", {unknown = "error"})
    raises("program.pt: is a TorchScript program: save its state_dict() by torch.save", tide.load_torch,
      files .. "program.pt")
  end)
  -- Objects that argparse and numpy leave in the checkpoints of many training scripts.
  it("skips objects of other classes, and reads the rest", function()
    local path = files .. "checkpoint.pt"
    for _, unknown in ipairs {"note", "skip"} do
      local checkpoint = tide.load_torch(path, device, {unknown = unknown})
      equal({checkpoint.best, checkpoint.args == nil, checkpoint.model["0.weight"].shape}, {0.5, true, {3, 4}})
    end
    raises("checkpoint.pt: holds objects of argparse.Namespace: only dense", tide.load_torch, path, {unknown = "error"})
    raises('load_torch: unknown must be "note", "skip" or "error", got "all"', tide.load_torch, path, {unknown = "all"})
  end)
  it("calls nothing that a pickle names", function()
    local path = folder() .. "/a.pt"
    write_pickle(path, "\x80\x02cos\nsystem\nX\4\0\0\0exit\x85R.")
    raises("a.pt: holds objects of os.system: only dense", tide.load_torch, path)
    write_pickle(path, "\x80\x02]cbuiltins\nlist\na.")
    raises("a.pt: holds the class or function builtins.list: only dense", tide.load_torch, path, {unknown = "error"})
    equal(#tide.load_torch(path, {unknown = "skip"}), 0)
  end)
  it("recognizes files of other formats", function()
    local path = folder() .. "/a.pt"
    tide.save({x = tide.ones(2)}, path)
    raises("a.pt: is not a file of torch.save: it is a safetensors file: tide.load reads it", tide.load_torch, path)
    write(path, "\x80\x04K\1.")
    raises("a.pt: is a pickle, but not one of torch.save", tide.load_torch, path)
    raises("values.pt: is not a safetensors file, or cut short: it is a zip archive: tide.load_torch reads those of PyTorch",
      tide.load, files .. "values.pt")
    write(path, "weights")
    raises("a.pt: is not a file of torch.save", tide.load_torch, path)
    tide.np.savez(path, {x = tide.ones(2)})
    raises("a.pt: is a zip archive, but not one of torch.save: it has no data.pkl", tide.load_torch, path)
    raises(folder() .. "/none.pt: cannot be read: No such file", tide.load_torch, folder() .. "/none.pt")
    raises(folder() .. ": is not a regular file", tide.load_torch, folder())
    raises("load_torch: argument 1 (path): expected string, got number", tide.load_torch, 3)
    write_pickle(path, "N.", {{"a/byteorder", "big"}})
    raises("a.pt: it was written on a big-endian machine", tide.load_torch, path)
  end)
  it("reports what is wrong with a pickle, and where", function()
    local path, data = folder() .. "/a.pt", {{"a/data/0", ("\0"):rep(24)}}
    local storage = "((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0%sX\3\0\0\0cpuK%stQ"
    local tensor = "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" .. storage .. "K%s(%st(%st\x89NtR."
    local function view(key, count, offset, sizes, strides)
      return tensor:format(key, string.char(count), string.char(offset), sizes, strides)
    end
    local huge = "\x8a\8\0\0\0\0\0\0\0\x04" -- 2^58
    for _, case in ipairs {
      {"", "damaged at byte 1: it is cut short"},
      {"\x80\x09.", "damaged at byte 3: its protocol is 9, and 5 is the newest known"},
      {"K\1K\2", "it is cut short"},
      {".", "it takes a value from an empty stack"},
      {"(K\1tp", "it is cut short"},
      {"K\1t.", "a mark is missing"},
      {"h\3.", "it recalls value 3, which it has not remembered"},
      {"}K\1K\2a.", "it appends to a value that is not a list"},
      {"]K\1K\2s.", "it sets an entry of a value that is not a dict"},
      {"}(K\1u.", "a key without a value"},
      {"K\1K\1R.", "it calls a value that is not a function"},
      {"X\xff\xff\xff\xffa.", "it is cut short"},
      {"V12\n.", "damaged at byte 1: 0x56 is not an opcode that torch.save writes"},
      {"ccollections\nOrderedDict\n(](K\1etR.", "expected an entry of a dict to be a pair"},
      -- A dict is not confused with the reader's own tables for names.
      {"}X\4\0\0\0callK\1s)R.", "it calls a value that is not a function"},
      {"(X\7\0\0\0storage}X\7\0\0\0storageK\1sX\1\0\0\0" .. "0X\3\0\0\0cpuK\6tQ.", "a storage without a type"},
      {"ctorch._utils\n_rebuild_tensor\n(}X\6\0\0\0tensorK\1sK\0))tR.", "a tensor without a storage"},
      {"ctorch._tensor\n_rebuild_from_type_v2\n(}X\4\0\0\0callK\1sN)NtR.", "a tensor without a function"},
      {view("0", 6, 0, "K\2K\3", "K\3K\1"), false},
      {view("0", 6, 1, "K\2K\3", "K\3K\1"), "an invalid tensor: the view reaches beyond the storage of 6"},
      {view("0", 6, 0, "K\2", "K\3K\1"), "an invalid tensor: expected as many strides as sizes, got 2 and 1"},
      {view("0", 6, 0, huge .. huge, "K\0K\0"), "a tensor whose sizes are too large"},
      {view("0", 6, 0, "J\xff\xff\xff\xff", "K\1"), "a tensor with an invalid size"},
      {view("0", 6, 0, ("K\1"):rep(9), ("K\1"):rep(9)), "an invalid tensor: at most 8 dimensions"},
      {view("0", 7, 0, "K\1", "K\1"), "the storage 0 has 24 bytes, not 28"},
      {view("1", 6, 0, "K\1", "K\1"), "there is no storage 1"},
    } do
      write_pickle(path, case[1], data)
      if case[2] then raises(case[2], tide.load_torch, path) else equal(tide.load_torch(path).shape, {2, 3}) end
    end
  end)
  it("does not copy the same list endlessly", function()
    local path = folder() .. "/a.pt"
    local entries = ("K\1"):rep(2000)
    local copies = ("cbuiltins\nset\n" .. "h\1" .. "\x85R0"):rep(2000)
    write_pickle(path, "](" .. entries .. "eq\1" .. copies .. ".")
    raises("it copies more than it holds", tide.load_torch, path)
    -- Deep and shared, but small: shared values remain shared.
    write_pickle(path, "]q\0" .. ("](h\0h\0eq\0"):rep(5000) .. ".")
    local value, depth = tide.load_torch(path), 0
    while value[1] do
      test.is_true(value[1] == value[2])
      value, depth = value[1], depth + 1
    end
    equal(depth, 5000)
  end)
  it("reads or rejects damaged files, without side effects", function()
    math.randomseed(11)
    local path, read, refused = folder() .. "/a.pt", 0, 0
    local function damaged(text, changes)
      for _ = 1, changes do
        local first = math.random(#text)
        local last = math.min(#text, first + math.random(0, 20))
        local before, piece, after = text:sub(1, first - 1), text:sub(first, last), text:sub(last + 1)
        local kind = math.random(5)
        text = kind == 1 and before .. string.char(math.random(0, 255)) .. text:sub(first + 1) or
          kind == 2 and before .. string.char(text:byte(first) ~ 1 << math.random(0, 7)) .. text:sub(first + 1) or
          kind == 3 and before .. after or kind == 4 and before .. piece .. piece .. after or before .. piece
      end
      return text
    end
    for _, name in ipairs {"values.pt", "values_protocol_4.pt", "values_old.pt", "sgd.pt"} do
      local good = contents(files .. name)
      local members = good:find "^PK" and members_of(files .. name)
      for i = 1, 500 do
        if members and i % 3 > 0 then -- the archive is intact, its pickle is not
          local list = {}
          for k, member in ipairs(members) do
            local text = member[2]
            list[k] = {member[1], member[1]:find "data.pkl" and damaged(text, math.random(2)) or text}
          end
          native.archives.write(path, list)
        else
          write(path, damaged(good, 1))
        end
        local ok, value = pcall(tide.load_torch, path)
        read, refused = read + (ok and 1 or 0), refused + (ok and 0 or 1)
        if not ok and not value:find("load_torch_test.lua:%d+: " .. path:gsub("%p", "%%%0")) then error(value) end
      end
    end
    test.is_true(read > 50 and refused > 1000)
  end)
end)

describe("save_torch", function()
  local folder = own_folder()

  --- The values that check.py expects.
  local function everything()
    local types, grid = {}, tide.range(0, 5):reshape(2, 3)
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8",
      "uint8", "bool"} do
      types[dtype] = grid:to(dtype)
    end
    local shared = tide.ones(2)
    return {
      types = types, transposed = grid.T, empty = tide.zeros(0, 3), scalar = tide.tensor(7), tied = {shared, shared},
      plain = {
        integer = 3, large = 1 << 40, least = math.mininteger, float = 0.5, infinite = math.huge,
        text = "h\u{e9}", bytes = "\xff\0x", yes = true, no = false, list = {1, {2, "x"}}, empty = {},
        [5] = "five", [-1] = "negative",
      },
    }
  end

  it("writes files that load_torch reads", function()
    local path, value = folder() .. "/a.pt", everything()
    tide.save_torch(value, path)
    local loaded = tide.load_torch(path)
    equal(loaded, value)
    test.is_true(rawequal(loaded.tied[1], loaded.tied[2]))
    tide.save_torch(tide.ones(2), path)
    equal(tide.load_torch(path), tide.ones(2))
  end)
  it("writes modules, and optimizers in PyTorch's form", function()
    local path, checkpoint = folder() .. "/a.pt", tide.load_torch(files .. "adam.pt")
    local layer = tide.nn.Linear(3, 2)
    local optimizer = tide.optim.Adam(layer:parameters(), {amsgrad = true})
    layer:load_state_dict(checkpoint.model)
    optimizer:load_state_dict(checkpoint.optimizer)
    tide.save_torch({model = layer, optimizer = optimizer}, path)
    local loaded = tide.load_torch(path)
    equal(loaded.model, checkpoint.model)
    equal(loaded.optimizer.param_groups[1].params, {0, 1})
    equal(loaded.optimizer.state[1].exp_avg, checkpoint.optimizer.state[1].exp_avg)
    equal(loaded.optimizer.state[0].step, 3)
  end)
  it("rejects values that Python does not have, with their path, and keeps the old file", function()
    local path, loop = folder() .. "/a.pt", {}
    loop.again = {loop}
    tide.save_torch(1, path)
    raises("save_torch: a.b: a function cannot be saved", tide.save_torch, {a = {b = print}}, path)
    raises("save_torch: a: a float cannot be saved as a key", tide.save_torch, {a = {[0.5] = 1}}, path)
    raises("save_torch: again.1: a table inside itself cannot be saved: it is the value", tide.save_torch, loop, path)
    raises("save_torch: argument 2 (path): expected string, got number", tide.save_torch, {}, 3)
    raises("/nowhere/a.pt: cannot be written", tide.save_torch, {}, "/nowhere/a.pt")
    equal(tide.load_torch(path), 1)
  end)

  local function require_torch()
    local found = os.execute [[python3 2>/dev/null -c '
import importlib.util, sys
sys.exit(importlib.util.find_spec("torch") is None)']]
    if not found then test.pending "needs python3 with torch" end
  end

  it("exchanges files with PyTorch", function()
    require_torch()
    local path, value = folder() .. "/a.pt", everything()
    local layer, x = tide.nn.Linear(3, 2), tide.randn(4, 3)
    local optimizer = tide.optim.Adam(layer:parameters(), {lr = 0.01})
    three_steps(layer, optimizer, x)
    local saved = tide.optim.Adam(layer:parameters())
    saved:load_state_dict(optimizer:state_dict())
    local model = {weight = layer.weight:detach():clone(), bias = layer.bias:detach():clone()}
    three_steps(layer, optimizer, x)
    value.later, value.x = layer.weight:detach():clone(), x
    layer:load_state_dict(model)
    value.model, value.optimizer, value.state = layer, saved, saved:state_dict()
    tide.save_torch(value, path)
    local pipe <close> = io.popen(("python3 '%s/check.py' '%s' 2>&1"):format(files, path))
    equal(pipe:read "a", "as expected\n")
  end)
  it("reads what PyTorch writes now", function()
    require_torch()
    assert(os.execute(("python3 '%s/make.py' '%s' values.pt values_old.pt"):format(files, folder())))
    for _, name in ipairs {"values.pt", "values_old.pt"} do
      equal(tide.load_torch(folder() .. "/" .. name), tide.load_torch(files .. name))
    end
  end)
end)
