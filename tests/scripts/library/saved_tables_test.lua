-- tide.save and tide.load of nested tables, modules and optimizers.
local json = require "tide.internal.json"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

describe("saved tables", function()
  local path
  test.before_each(function() path = os.tmpname() end)
  test.after_each(function() os.remove(path) end)

  local function there_and_back(value)
    tide.save(value, path)
    return (tide.load(path))
  end

  --- The header of the file, which other programs read.
  local function header()
    local file <close> = assert(io.open(path, "rb"))
    return assert(json.decode(file:read(string.unpack("<I8", file:read(8)))))
  end

  it("are read with keys and values of the same types", function()
    local value = {
      [1] = "one", ["1"] = "text one", [-3] = 1, [math.mininteger] = {}, name = "a\0b\"\\\n\u{20ac}",
      ["\xff\xfe"] = "\x80bytes", [""] = {[""] = 2}, ["a.b"] = 1, a = {b = 2},
      list = {1, 2.0, 3, {4, {5}}}, yes = true, no = false,
      sparse = {[2] = 1, [4] = 2}, largest = math.maxinteger, least = math.mininteger,
      whole = 2 ^ 63, third = 1 / 3, tiny = 5e-324, huge = 1.7976931348623157e308,
      infinite = {math.huge, -math.huge},
    }
    equal(there_and_back(value), value)
  end)
  it("keep nan and the sign of zero", function()
    local loaded = there_and_back {nan = 0 / 0, minus = -0.0, plus = 0.0}
    test.is_true(loaded.nan ~= loaded.nan)
    equal({1 / loaded.minus, 1 / loaded.plus}, {-math.huge, math.huge})
  end)
  it("hold tensors under readable names, and distinguish similar names", function()
    local value = {
      model = {["fc.weight"] = tide.ones(2), fc = {weight = tide.zeros(3)}},
      list = {tide.ones(1), ["1"] = tide.zeros(1)}, __metadata__ = tide.ones(1), ["n\0l\xff"] = tide.ones(1),
    }
    equal(there_and_back(value), value)
    local names = {}
    for name in pairs(header()) do names[#names + 1] = name end
    table.sort(names)
    equal(names, {"__metadata__", "__metadata__~2", "list.1", "list.1~2", "model.fc.weight",
      "model.fc.weight~2", "n?l?"})
  end)
  it("hold a shared tensor once, and share it again after reading", function()
    local x = tide.randn(3)
    local loaded = there_and_back {a = x, deep = {x, {b = x}}, copy = x:clone()}
    test.is_true(rawequal(loaded.a, loaded.deep[1]) and rawequal(loaded.a, loaded.deep[2].b))
    test.is_false(rawequal(loaded.a, loaded.copy))
    test.identical(loaded.a, x)
    local entries = header()
    equal({entries.a ~= nil, entries.copy ~= nil, entries["deep.1"]}, {true, true, nil})
  end)
  it("have no description if they are flat tables of tensors", function()
    tide.save({x = tide.ones(2), ["y.z"] = tide.zeros(1)}, path, {by = "me"})
    equal(header().__metadata__, {by = "me", format = "pt"})
    local loaded, metadata = tide.load(path)
    equal(loaded, {x = tide.ones(2), ["y.z"] = tide.zeros(1)})
    equal(metadata, {by = "me", format = "pt"})
    equal(there_and_back {}, {})
    equal(there_and_back(tide.ones(2)), {tensor = tide.ones(2)})
  end)
  it("are read as tensors by name from files that do not describe them", function()
    require "tide.native".save({layers = {tide.ones(1), {w = tide.zeros(1)}}}, path)
    equal(tide.load(path), {["layers.1"] = tide.ones(1), ["layers.2.w"] = tide.zeros(1)})
  end)
  it("keep other metadata", function()
    tide.save(path, {1, 2}, {by = "me"})
    local loaded, metadata = tide.load(path, "cpu")
    equal(loaded, {1, 2})
    equal(metadata, {by = "me", format = "pt"})
    raises("save: metadata: the name 'tide.structure' is taken", tide.save, {1}, path,
      {["tide.structure"] = "x"})
  end)
  it("may be modules, whose shared parameters are stored once", function()
    local net = tide.nn.Sequential(tide.nn.Linear(3, 3), tide.nn.ReLU(), tide.nn.Linear(3, 3))
    tide.save(net, path)
    equal(tide.load(path), net:state_dict())
    equal(header().__metadata__, {format = "pt"})
    net[3].weight = net[1].weight
    local loaded = there_and_back {net = net}.net
    test.is_true(rawequal(loaded["0.weight"], loaded["2.weight"]))
    equal(header()["net.2.weight"], nil)
    local other = tide.nn.Sequential(tide.nn.Linear(3, 3), tide.nn.ReLU(), tide.nn.Linear(3, 3))
    other:load_state_dict(loaded)
    test.identical(other[3].weight:detach(), net[1].weight:detach())
  end)
  it("may be optimizers and schedulers", function()
    local net = tide.nn.Linear(2, 1)
    local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.1, amsgrad = true})
    local schedules = tide.optim.lr_scheduler
    local schedulers = {
      schedules.LambdaLR(optimizer, function(n) return 0.9 ^ n end),
      schedules.LambdaLR(optimizer, {function(n) return 0.9 ^ n end}),
      schedules.ReduceLROnPlateau(optimizer),
      schedules.SequentialLR(optimizer,
        {schedules.StepLR(optimizer, 2), schedules.CosineAnnealingLR(optimizer, 5)}, {3}),
    }
    net(tide.ones(1, 2)):sum():backward()
    optimizer:step()
    local loaded = there_and_back {optimizer = optimizer, schedulers = schedulers}
    equal(loaded.optimizer, optimizer:state_dict())
    equal(loaded.schedulers[4], schedulers[4]:state_dict())
    equal(loaded.schedulers[3], schedulers[3]:state_dict())
    equal(loaded.schedulers[2].last_epoch, 0)
    test.is_true(header()["optimizer.state.1.exp_avg"])
  end)
  it("with values that cannot be saved are rejected with their path", function()
    local cyclic = {model = {layers = {}}}
    cyclic.model.layers[1] = cyclic.model
    for place, value in pairs {
      ["model.hook: a function cannot be saved"] = {model = {hook = print}},
      ["list.2: a userdata cannot be saved"] = {list = {1, io.stdout}},
      ["a: a thread cannot be saved"] = {a = coroutine.create(print)},
      ["model.layers.1: a table inside itself cannot be saved: it is model"] = cyclic,
      ["a: a boolean cannot be saved as a key"] = {a = {[true] = 1}},
      ["the table: a float cannot be saved as a key"] = {[1.5] = 1},
      ["a: a Thing cannot be saved: it has no state_dict"] = {a = tide.class "Thing"()},
      ["a: an object cannot be saved: it has no state_dict"] = {a = setmetatable({}, {})},
    } do
      raises("save: " .. place, tide.save, value, path)
    end
    local deep = {}
    for _ = 1, 100 do deep = {deep} end
    raises("tables are nested more than 100 deep", tide.save, deep, path)
    equal(there_and_back(deep[1]), deep[1])
  end)
  it("with a damaged description are rejected with file and reason", function()
    local native = require "tide.native"
    for text, reason in pairs {
      ["["] = "expected a value", ["3"] = "it is not a table", ["null"] = "it is null",
      ['{"tensor":"y"}'] = "there is no tensor 'y'", ['{"tensor":3}'] = "there is no tensor '3'",
      ['{"tensor":"x"}'] = "it is not a table", ["[]"] = "it does not name the tensor 'x'",
      ['[{"bytes":"0"}]'] = "bytes that are not hexadecimal", ['[{"float":"1"}]'] = "an unknown number '1'",
      ['{"fields":1}'] = "fields that are not an object", ['{"fields":[1]}'] = "fields that are not an object",
      ['{"table":1}'] = "a table that is not a list", ['{"table":[1]}'] = "a table whose entries are not pairs",
      ['{"table":[[1.5,1]]}'] = "a key of a wrong type", ['{"code":"x"}'] = "unknown 'code'",
      ['{"fields":{},"x":1}'] = "unknown '",
    } do
      native.save({x = tide.ones(1)}, path, {["tide.structure"] = text})
      raises(path .. ": the description of its tables is damaged: ", tide.load, path)
      raises(reason, tide.load, path)
    end
  end)
end)
