-- tide.help: names, topics, values, similar names and searches; and that it does not flush the queue.
local asked = require "tide.reference.asked"
local help = require "tide.help"
local search = require "tide.reference.search"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local function contains(text, ...)
  for _, part in ipairs {...} do
    if not text:find(part, 1, true) then error(("%s is missing in:\n%s"):format(part, text), 2) end
  end
end

describe("help on a name", function()
  it("describes each parameter", function()
    contains(help "nn.Linear", "tide.nn.Linear(in_features, out_features, {bias, device, dtype})",
      "bias          boolean = true  add a trained bias", "shapes: x (..., in_features)",
      "see also: nn.LazyLinear", "> nn.Linear(3, 2)(tide.ones(4, 3)).shape --> {4, 2}")
    contains(help "SGD", "momentum      number >= 0 = 0", "formula: g = grad")
  end)
  it("ignores case", function() test.equal(help "lstm", help "LSTM") end)
  it("suggests similar names", function()
    local text, found = help "matmull"
    test.is_false(found)
    contains(text, "there is no help on 'matmull'; near it: matmul")
    contains(help "conv", "near it: conv1d, conv2d")
  end)
  it("fits on a screen of 100 columns", function()
    for _, name in ipairs {"LSTM", "cross_entropy", "Trainer", "DataLoader", "nn", "F", "vision"} do
      for line in help(name):gmatch "[^\n]+" do
        local is_code = line:find "^    > "
        if #line > 100 and not is_code then error(line) end
      end
    end
  end)
end)

describe("help on a topic", function()
  it("lists names by group with a line each", function()
    contains(help "nn", "Layers, losses and containers\n", "Linear ", "Methods of modules\n")
    contains(help "optim", "SGD ", "Stochastic gradient descent", "Learning rate schedulers\n")
    contains(help "F", "relu ", "max(x, 0)")
    contains(help "data", "DataLoader", "Samplers\n")
    contains(help "vision", "Networks for images\n", "Image files\n")
    contains(help "nn.init", "xavier_uniform_")
    test.equal(help(tide.nn.init), help "nn.init")
    contains(help "pooling", "max_pool2d")
  end)
  it("shows the function of that name if there is one", function()
    contains(help "Trainer", "tide.Trainer({", "max_epochs")
    contains(help "softmax", "x:softmax(dim")
    contains(help "shape", "x.shape\n")
  end)
end)

describe("help on a value", function()
  local nn = tide.nn

  it("shows its kind and its methods", function()
    contains(help(nn.Sequential(nn.Linear(3, 2))), "[1]: Linear(3 -> 2)",
      "an object of tide.nn.Sequential", "state_dict")
    contains(help(tide.ones(2, 3)), "a tensor (2, 3) float32 cpu", "Reduction", "sum, mean")
    local sgd = tide.optim.SGD(nn.Linear(2, 2):parameters(), {lr = 1})
    contains(help(sgd), "an object of tide.optim.SGD", "zero_grad")
    contains(help(function(a, b) return a, b end), "a function (a, b) of", "help_test.lua")
    contains(help {a = 1}, "a table: {a = 1}")
    local Net = tide.class("Net", nn.Module)
    function Net:forward(x) return x end
    contains(help(Net()), "an object of the class Net, derived from Module",
      "its own methods: forward")
    contains(help(tide.Event()), "elapsed_time")
  end)
end)

describe("a question at the prompt", function()
  it("follows a path of names", function()
    help_test_net = tide.nn.Sequential(tide.nn.Linear(3, 2))
    help_test_x = tide.ones(2)
    contains(asked "help_test_net", "an object of tide.nn.Sequential")
    contains(asked "help_test_net[1].weight", "a tensor (2, 3)")
    contains(asked "help_test_net:parameters()", "module:parameters()")
    contains(asked "help_test_x.shape", "x.shape\n")
    contains(asked " help_test_x:sum(1) ", "x:sum(dim?, keepdim?, dtype?)")
    contains(asked "tide.nn.Linear(3, 2)", "tide.nn.Linear(")
    contains(asked "nn", "Layers, losses and containers")
    contains(asked "learning rate", "LearningRateMonitor")
    help_test_net, help_test_x = nil, nil
  end)
  it("does not run or flush anything", function(device)
    help_test_net = tide.nn.utils.parametrizations.orthogonal(tide.nn.Linear(2, 2))
    tide.synchronize() -- pending ops from now on are those recorded below
    help_test_x = tide.ones({2}, {device = device}) + 1
    local pending, launches = tide.pending(), tide.statistics().launches
    for _, text in ipairs {"help_test_x", "help_test_x.T.shape", "help_test_x.shape", "sum",
      "help_test_net.weight", "cross_entropy"} do
      asked(text)
    end
    test.equal(tide.pending(), pending)
    test.equal(tide.statistics().launches, launches)
    help_test_net, help_test_x = nil, nil
  end)
end)

describe("a search", function()
  local function names(text)
    local list = {}
    for i, found in ipairs(search.find(text)) do list[i] = found.entry.called_as end
    return list
  end

  it("ranks a name before parts of names, and these before texts", function()
    local found = names "softmax"
    test.is_true(found[1]:lower():find "softmax$")
    local place = {}
    for i, name in ipairs(found) do place[name] = place[name] or i end
    test.is_true(place["tide.nn.Softmax"] < place["tide.nn.LogSoftmax"])
    test.is_true(place["tide.nn.LogSoftmax"] < (place["tide.nn.NLLLoss"] or math.huge))
  end)
  it("requires all words, and finds parameters", function()
    test.equal(names("learning rate")[1], "tide.optim.lr_scheduler")
    contains(table.concat(names "gradient clipping", " "), "clip_grad_norm_", "clip_grad_value_")
    local found = table.concat(names "decoupled weight", " ")
    test.is_true(found:find("tide.optim.NAdam", 1, true))
    test.equal(#names "nosuchword", 0)
  end)
  it("returns a line for each name", function()
    contains(search.answer("learning", "rate"), "tide.optim.lr_scheduler.StepLR", "Multiplies the learning")
    local text, found = search.answer "nosuchword"
    test.equal({text, found}, {"nothing in the reference mentions 'nosuchword'", false})
  end)
end)
