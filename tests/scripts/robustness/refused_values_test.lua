-- Values that the library rejects with an error, and similar ones that it accepts.
local tide = require "tide"
local test = require "tide.test"
local nn, optim = tide.nn, tide.optim
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises

local function optimizer() return optim.SGD({tide.zeros(1):requires_grad_()}, {lr = 0.1, momentum = 0.9}) end

describe("the library rejects", function()
  it("an argument that is passed twice", function()
    raises("Linear: in_features is given twice", function() return nn.Linear(3, 4, {in_features = 5}) end)
    equal(nn.Linear(3, {out_features = 4}).weight.shape, {4, 3})
  end)
  it("named fields of an index", function()
    local x = tide.arange(6):reshape(2, 3)
    local range = 'index: a range is {first, last, step}; named fields are not supported, got "step"'
    raises(range, function() return x[{1, {1, 3, step = 2}}] end)
    raises(range, function() return x[{{step = 2}}] end)
    local list = 'index: an index is a list of entries; named fields are not supported, got "col"'
    raises(list, function() return x[{1, col = 2}] end)
    raises(list, function() return x[{col = 2}] end)
    raises(list, function() x[{1, col = 2}] = 9 end)
    equal(x[{{}, {1, 3, 2}}]:tolist(), {{0, 2}, {3, 5}})
  end)
  it("misspelled options, and options of a wrong type, of streams, events and printing", function()
    raises("Stream: unknown option 'devcie'", tide.Stream, {devcie = "sim"})
    raises("Event: option 'timing': expected boolean, got number", tide.Event, {timing = 0})
    raises("set_printoptions: argument 1: expected table of options, got number", tide.set_printoptions, 3)
    raises("set_printoptions: option 'profile': expected string, got table", tide.set_printoptions, {profile = {}})
  end)
  it("lists of sizes that are too short or too long", function()
    equal(nn.Conv2d(1, 1, {3, 5}).weight.shape, {1, 1, 3, 5})
    equal(nn.MaxPool2d({1, 3})(tide.ones(1, 1, 4, 9)).shape, {1, 1, 4, 3})
    for _, list in ipairs {{3}, {3, 3, 3}} do
      raises("expected 2 sizes, got " .. #list, function() return nn.Conv2d(1, 1, list) end)
    end
  end)
  it("modes of schedulers that do not exist", function()
    raises('CyclicLR: mode must be "triangular", "triangular2" or "exp_range", got "round"',
      function() return optim.lr_scheduler.CyclicLR(optimizer(), 0.1, 0.2, {mode = "round"}) end)
    raises("ReduceLROnPlateau: threshold_mode must be",
      function() return optim.lr_scheduler.ReduceLROnPlateau(optimizer(), {threshold_mode = "up"}) end)
    for _, mode in ipairs {"rel", "abs"} do
      optim.lr_scheduler.ReduceLROnPlateau(optimizer(), {threshold_mode = mode})
    end
  end)
  it("channel counts that groups do not divide", function()
    raises("channel_shuffle: 6 channels do not divide into 4 groups",
      function() return nn.functional.channel_shuffle(tide.ones(1, 6, 1, 1), 4) end)
    equal(nn.functional.channel_shuffle(tide.range(1, 4):view(1, 4, 1, 1), 2):flatten():tolist(), {1, 3, 2, 4})
    equal(nn.functional.channel_shuffle(tide.range(1, 4):view(1, 4, 1, 1), 1):flatten():tolist(), {1, 2, 3, 4})
  end)
  it("a source with fewer elements than positions", function()
    local x, index = tide.zeros(3), tide.tensor {1, 2, 3}
    for _, op in ipairs {"scatter", "scatter_add"} do
      raises(op .. ": ", function() return tide[op](x, 1, index, tide.ones(2)) end)
      equal(tide[op](x, 1, index, tide.ones(4)):tolist(), {1.0, 1.0, 1.0})
    end
  end)
  it("a number out of the range of elements in scatter", function()
    local x, index = tide.zeros({3}, {dtype = "int8"}), tide.tensor {1}
    raises("scatter: int8 goes from -128 to 127, got 300", function() return x:scatter(1, index, 300) end)
    equal(x:scatter(1, index, -128):tolist(), {-128, 0, 0})
  end)
  it("positions of rows that the values do not have", function()
    local x, index = tide.zeros(2, 2), tide.ones({2, 3}):to("int64")
    for _, op in ipairs {"scatter", "scatter_add"} do
      raises(op .. ": an index of shape (2, 3)", function() return tide[op](x, 1, index, tide.ones(2, 3)) end)
      raises(op .. ": ", function() return tide[op](x, 1, index:float(), tide.ones(2, 3)) end)
    end
  end)
  it("dimensions that a weight does not have", function()
    for _, dim in ipairs {0, 3, -3} do
      raises("there is no dimension", function() return nn.utils.weight_norm(nn.Linear(2, 3), "weight", dim) end)
    end
    for _, dim in ipairs {1, 2, -1, -2} do nn.utils.weight_norm(nn.Linear(2, 3), "weight", dim) end
  end)
end)

describe("an error in a module", function()
  it("names the module and keeps a message that has no line", function()
    local net = nn.Sequential(nn.Linear(2, 2))
    net[1].forward = function() error("no line here", 0) end
    raises("no line here", function() return net(tide.ones(1, 2)) end)
  end)
end)

describe("gradients clipped by their norm", function()
  it("are divided by slightly more than it: 1e-6, as in PyTorch", function()
    local x = tide.zeros(1):requires_grad_()
    x.grad = tide.tensor {3e-6}
    nn.utils.clip_grad_norm_({x}, 1e-6)
    test.close(x.grad:item() * 1e6, 0.75, {rtol = 1e-5})
  end)
end)

describe("the jacobian of a function", function()
  it("that returns a list of tensors has one for each", function()
    local x = tide.tensor {1.0, 2.0}
    local both = {tide.autograd.jacobian(function(v) return {v * 2, v:sum() * 3} end, x)}
    local list = tide.is_tensor(both[1]) and both or both[1]
    equal(list[1]:tolist(), {{2.0, 0.0}, {0.0, 2.0}})
    equal(list[2]:tolist(), {3.0, 3.0})
  end)
end)
