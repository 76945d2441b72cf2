-- Reading a name that does not exist raises an error that suggests a name; optional fields are nil.
-- A script can declare such fields.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local nn = tide.nn

local function field(value, name) return value[name] end

describe("names of types", function()
  it("are PyTorch's, and the full names of the types", function()
    local words = {
      float32 = "float32", float = "float32", float64 = "float64", double = "float64",
      float16 = "float16", half = "float16", bfloat16 = "bfloat16", int64 = "int64", long = "int64",
      int32 = "int32", int = "int32", int16 = "int16", short = "int16", int8 = "int8",
      uint8 = "uint8", bool = "bool",
    }
    for word, name in pairs(words) do
      equal(tide[word], name)
      equal(tide.ones(2, {dtype = tide[word]}).dtype, name)
      equal(tide.ones(2):to(tide[word]).dtype == tide[word], true)
    end
  end)
end)

describe("an unknown name", function()
  it("of a table of the library is an error", function()
    local tables = {
      tide = tide, ["tide.nn"] = nn, ["tide.nn.functional"] = nn.functional,
      ["tide.nn.init"] = nn.init, ["tide.nn.utils"] = nn.utils,
      ["tide.nn.utils.rnn"] = nn.utils.rnn, ["tide.optim"] = tide.optim,
      ["tide.optim.lr_scheduler"] = tide.optim.lr_scheduler,
      ["tide.optim.swa_utils"] = tide.optim.swa_utils, ["tide.autograd"] = tide.autograd,
      ["tide.amp"] = tide.amp, ["tide.data"] = tide.data, ["tide.linalg"] = tide.linalg,
      ["tide.special"] = tide.special, ["tide.np"] = tide.np, ["tide.sim"] = tide.sim,
      ["tide.cuda"] = tide.cuda, ["tide.test"] = tide.test, ["tide.func"] = tide.func,
      ["tide.onnx"] = tide.onnx, ["tide.training"] = tide.training, ["tide.loggers"] = tide.loggers,
      ["tide.metrics"] = tide.metrics, ["tide.metrics.functional"] = tide.metrics.functional,
      ["tide.plot"] = tide.plot, ["tide.random"] = tide.random, ["tide.signal"] = tide.signal,
      ["tide.signal.windows"] = tide.signal.windows, ["tide.nn.utils.prune"] = nn.utils.prune,
      ["tide.nn.utils.parametrize"] = nn.utils.parametrize,
      ["tide.nn.utils.parametrizations"] = nn.utils.parametrizations,
    }
    for place, value in pairs(tables) do
      raises(place .. ".qqqqqq: there is no such name", field, value, "qqqqqq")
      equal(rawget(value, "qqqqqq"), nil)
      equal(value[1], nil)
    end
  end)
  it("names the script's line", function()
    local chunk = load("local x = 1\nreturn tide.flaot16", "=script", "t", {tide = tide})
    local ok, message = pcall(chunk)
    equal(ok, false)
    equal(message, "script:2: tide.flaot16: there is no such name; did you mean 'float16'?")
  end)
  it("may be a prefix of the suggested one", function()
    raises("did you mean 'xavier_normal_'?", field, nn.init, "xavier")
    raises("did you mean 'MultiheadAttention'?", field, nn, "Multihead")
    raises("tide.nn.init.xx: there is no such name", field, nn.init, "xx")
  end)
  it("of a tensor is an error", function()
    local x = tide.ones(2, 3)
    raises("tensor.shpae: there is no such name; did you mean 'shape'?", field, x, "shpae")
    raises("did you mean 'tide.nn.functional.cross_entropy'?", field, x, "cross_entropy")
    equal(x[3], nil)
    equal(x.grad, nil)
    x:free()
    raises("freed", field, x, "shape")
  end)
  it("of another object is an error", function()
    local objects = {
      device = tide.device "cpu", event = tide.Event(), stream = tide.Stream "sim",
      generator = tide.Generator(), channel = tide.channel(), job = tide.thread(function() end),
    }
    for place, object in pairs(objects) do
      raises(place .. ".qqqqqq: there is no such name", field, object, "qqqqqq")
      equal(object[1], nil)
    end
    raises("device.typ: there is no such name; did you mean 'type'?", field, objects.device, "typ")
    raises("did you mean 'elapsed_time'?", field, objects.event, "elapsed")
    equal(objects.device.index, nil)
  end)
  it("of a module or its class is an error", function()
    local layer = nn.Linear(3, 2, {bias = false})
    equal(layer.bias, nil)
    raises("Linear.wieght: there is no such name; did you mean 'weight'?", field, layer, "wieght")
    raises("Linear.forwad: there is no such name; did you mean 'forward'?", field, layer, "forwad")
    raises("Linear.parameter_: there is no such name; did you mean 'parameter'?", field, nn.Linear,
      "parameter_")
    local net = nn.Sequential(layer, nn.ReLU())
    equal(net[3], nil)
    raises("Sequential: positions start at 1, got 0", field, net, 0)
    equal(rawget(layer, "wieght"), nil)
    -- Completion at the prompt reads these.
    local named = nn.Sequential {"first", layer}
    local names = getmetatable(named).__names(named)
    equal({names.first, names.parameters ~= nil, names.pop ~= nil}, {true, true, true})
  end)
  it("does not include fields assigned by a script", function()
    local Net = tide.class("Net", nn.Module)
    function Net:init() self.state, self.layer = nil, nn.Linear(2, 2) end
    function Net:forward(x)
      self.state = self.state and self.state + 1 or 1
      return self.layer(x)
    end
    local net = Net()
    net(tide.ones(2))
    net(tide.ones(2))
    equal(net.state, 2)
    net.state = nil
    equal(net.state, nil)
    net.layer = nil
    equal(net.layer, nil)
    raises("Net.cache: there is no such name; if it may be absent: Net:optional \"cache\"", field,
      net, "cache")
    Net:optional "cache"
    equal(net.cache, nil)
    local Deep = tide.class("Deep", Net)
    equal(Deep().cache, nil)
    equal(rawequal(Deep().forward, Net.forward), true)
    equal(Deep().training, true)
    raises("Deep.chache: there is no such name; did you mean 'cache'?", field, Deep(), "chache")
  end)
end)

describe("an unknown name of an object", function()
  local optim, data = tide.optim, tide.data
  local function set(object, name, value) object[name] = value end
  local net = nn.Linear(3, 2)
  it("is an error to read and to set", function()
    local sgd = optim.SGD(net:parameters(), {lr = 0.1})
    local set_of_rows = data.TensorDataset(tide.ones(4, 3))
    local objects = {
      SGD = sgd, StepLR = optim.lr_scheduler.StepLR(sgd, 2),
      ReduceLROnPlateau = optim.lr_scheduler.ReduceLROnPlateau(sgd), TensorDataset = set_of_rows,
      DataLoader = data.DataLoader(set_of_rows), RandomSampler = data.RandomSampler(set_of_rows),
      GradScaler = tide.amp.GradScaler(), Mean = tide.metrics.Mean(),
    }
    for name, object in pairs(objects) do
      raises(name .. ".qqqqqq: there is no such name", field, object, "qqqqqq")
      raises(name .. ".qqqqqq: there is no such name; scripts give it no fields", set, object, "qqqqqq", 1)
      equal(rawget(object, "qqqqqq"), nil)
    end
    raises("SGD.paramgroups: there is no such name; did you mean 'param_groups'?", field, sgd, "paramgroups")
    raises("StepLR.lastepoch: there is no such name; did you mean 'last_epoch'?", field, objects.StepLR, "lastepoch")
    raises("DataLoader.batchsize: there is no such name; did you mean 'batch_size'?", field, objects.DataLoader,
      "batchsize")
    raises("DataLoader.shuffle: there is no such name", set, objects.DataLoader, "shuffle", true)
    equal(objects.DataLoader.generator, nil)
  end)
  it("may be an option, which belongs to the groups", function()
    local sgd = optim.SGD(net:parameters(), {lr = 0.1})
    raises("SGD.lr: options belong to parameter groups: optimizer.param_groups[1].lr", field, sgd, "lr")
    raises("SGD.lr: options belong to parameter groups: for _, group in ipairs(optimizer.param_groups) " ..
      "do group.lr = 0.5 end", set, sgd, "lr", 0.5)
    equal(sgd.param_groups[1].lr, 0.1)
    raises("param_groups: there is no option 'lrr'; did you mean 'lr'?", set, sgd.param_groups[1], "lrr", 0.5)
    sgd.param_groups[1].initial_lr = 0.3
    equal(optim.lr_scheduler.StepLR(sgd, 2, {last_epoch = 4}).base_lrs, {0.3})
  end)
  it("does not include replaced methods and existing fields", function()
    local sgd = optim.SGD(net:parameters(), {lr = 0.1})
    local plan = optim.lr_scheduler.StepLR(sgd, 2)
    plan.gamma, plan.step_size = 0.5, 3
    function sgd:step() return self.param_groups[1].lr end
    equal(sgd:step(), 0.1)
    local rows = data.ListDataset {1, 2}
    rows.can_batch = false
    equal(rows.can_batch, false)
  end)
  it("is nil in classes of scripts", function()
    local Rows = tide.class("Rows", data.Dataset)
    function Rows:__len() return 2 end
    function Rows:get(i) return self.scale and i * self.scale or i end
    local rows = Rows()
    equal({rows:get(2), rows.scale}, {2, nil})
    rows.scale = 10
    equal(rows:get(2), 20)
    raises("Rows: samples are read by dataset:get(1)", field, rows, 1)
  end)
end)

describe("a data set or a loader", function()
  local data = tide.data
  it("cannot be indexed", function()
    raises("TensorDataset: samples are read by dataset:get(2)", field, data.TensorDataset(tide.ones(4, 3)), 2)
    local Words = tide.class("Words", data.IterableDataset)
    raises("Words: samples are read by `in dataset:iter() do`", field, Words(), 1)
    raises("DataLoader: batches are read by `for x, y in loader do`", field, data.DataLoader {1, 2}, 1)
  end)
end)
