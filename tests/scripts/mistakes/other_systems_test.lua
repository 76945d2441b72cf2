-- Names and statements of other systems: the error shows tide's equivalent.
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal

local kStart <const> = "local net, x, loader = tide.nn.Linear(2, 3), tide.ones(3), tide.data.DataLoader {1, 2, 3}\n"

local count = 0

--- The text that the program adds to an error after "; ".
local function advice(text)
  count = count + 1
  local chunk = "=other" .. count
  source.keep(chunk, kStart .. text, 1)
  local ok, message = xpcall(assert(load(kStart .. text, chunk)), mistakes.describe)
  assert(not ok, "no error: " .. text)
  return message:match "^other%d+:2: .-; ([^\n]*)", message
end

-- The text, and a part of the advice.
local kNames <const> = {
  {"tide.compile(net)", "compiled automatically"}, {"tide.jit.script(net)", "compiled automatically"},
  {"net:hybridize()", "compiled automatically"}, {"tide.GradientTape()", "loss:backward()"},
  {"tide.autograd.record()", "loss:backward()"}, {"tide.config.list_physical_devices()", "tide.devices() lists"},
  {"tide.list_physical_devices()", "tide.devices() lists"}, {"net:fit(loader)", "tide.Trainer has fit"},
  {"tide.utils.bottleneck()", "tide.profiler"}, {"x:numpy()", "x:tolist()"}, {"tide.from_numpy({1})", "tide.tensor(list)"},
  {"tide.mps.is_available()", "NVIDIA GPUs"}, {"tide.nd.waitall()", "tide.tensor"},
  {"tide.keras.Sequential()", "tide.nn"},
  {"tide.waitall()", "tide.synchronize()"}, {"tide.split_and_load(x)", "x:chunk(n)"},
  {"tide.data.SuperDataset()", "tide.data.Dataset"}, {"tide.backends.cudnn.benchmark = true", "nothing to choose"},
  {'x:to("mps")', "NVIDIA GPUs"}, {'x:to("xla")', "NVIDIA GPUs"}, {'x:to("hip:0")', "NVIDIA GPUs"},
  {'tide.ones(2, {device = "meta"})', "tide.estimate"}, {"dir(x)", "pairs(t)"}, {"tide.tensor(1, 2, 3)", "tide.tensor{1, 2, 3}"},
  {"print(x[{1, 5}])", "x[{ {first, last} }]"}, {"net(loader)", "for x, y in loader do"},
}

describe("a name of another system", function()
  for _, case in ipairs(kNames) do
    it("gets tide's equivalent: " .. case[1], function()
      local text, message = advice(case[1])
      assert((text or message):find(case[2], 1, true), message)
      assert(not message:find "did you mean", message)
    end)
  end
end)

-- The text, and its Lua equivalent.
local kSyntax <const> = {
  {"if x == 1: print(x)", "if condition then ... end"}, {"while True: pass", "while condition do ... end"},
  {"for i in range(3): print(i)", "for i = 1, 3 do ... end"},
  {"import numpy as np", "tide.tensor creates arrays, tide.np reads their files"},
  {"import matplotlib.pyplot as plt", "tide.plot has figures"}, {"import tensorflow as tf", "tide needs no import"},
}

describe("a statement of Python", function()
  for i, case in ipairs(kSyntax) do
    it("gets its Lua equivalent: " .. case[1], function()
      local chunk = "=python" .. i
      source.keep(chunk, case[1], 1)
      local _, message = load(case[1], chunk)
      equal(mistakes.in_syntax(message, chunk):match "\nin Lua: (.*)$", case[2])
    end)
  end
end)

describe("a class of Torch7 or Python", function()
  it("gets the name of its constructor", function()
    for _, name in ipairs {"__init", "__init__", "_init", "__new__"} do
      local Net = tide.class("Net", tide.nn.Module)
      Net[name] = function() end
      test.raises("Net: objects are made by init: function Net:init(...), not " .. name, Net)
    end
  end)
end)

-- The name, and the help.
local kAsked <const> = {
  compile = "work is compiled automatically; no call is needed",
  ["tide.jit"] = "work is compiled automatically; no call is needed",
  GradientTape = "gradients are recorded automatically: loss:backward(), or tide.grad(loss, inputs)",
  ["tide.autograd.record"] = "gradients are recorded automatically: loss:backward(), or tide.grad(loss, inputs)",
  list_physical_devices = "tide.devices() lists the available devices", ["net:fit"] = "tide.Trainer has fit",
  bottleneck = "tide.profiler.profile(fn) measures, and tide.advise(fn) suggests changes",
  ["x:numpy"] = "x:tolist() gives tables, tide.np.save writes .npy",
  mps = "tide runs on CPUs and NVIDIA GPUs", meta = "tide.estimate(fn) estimates the time on another GPU",
  waitall = "tide.synchronize()", split_and_load = "x:chunk(n) takes parts, part:to(device) moves them",
  SuperDataset = "tide.data.Dataset",
}

describe("help on a name of another system", function()
  for name, advice in pairs(kAsked) do
    it("shows tide's equivalent: " .. name, function()
      equal(tide.help(name), ("there is no '%s' in tide: %s"):format(name, advice))
    end)
  end
  it("is the help on a name of tide", function() assert(tide.help("record"):find("event:record(", 1, true)) end)
end)
