-- Declarations: the comment above a function defines its arguments and its help.
local declaration = require "tide.internal.declare.declaration"
local kinds = require "tide.internal.declare.kinds"
local native = require "tide.native"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.equal, test.raises
local nn, optim = tide.nn, tide.optim

local function adam(...) return optim.Adam({nn.Parameter(tide.ones(1))}, ...) end

describe("declared arguments", function()
  it("are passed by position or by name", function()
    equal(adam(0.5).param_groups[1].lr, 0.5)
    equal(adam({lr = 0.5}).param_groups[1].lr, 0.5)
    equal(adam(0.5, {eps = 1e-3}).param_groups[1].eps, 1e-3)
    equal(adam().param_groups[1].lr, 1e-3)
  end)
  it("are rejected with the messages of ops", function()
    raises("Adam: too many arguments: argument 8 is a number", adam, 1, {0.9, 0.99}, 1e-8, 0, false, false, 7)
    raises("Adam: unknown option 'beta'; did you mean 'betas'?: known are params, lr, betas", adam, {beta = 1})
    raises("Adam: lr is given twice", adam, 0.1, {lr = 0.1})
    raises("Adam: argument 2 (lr): expected tensor or number, got string", adam, "fast")
    raises("Adam: option 'amsgrad': expected boolean, got number", adam, {amsgrad = 1})
    raises("Adam: option 'betas': expected table of 2 numbers, got {0.9}", adam, {betas = {0.9}})
    raises("Adam: betas must be at least 0 and below 1, got {0.9, 1}", adam, {betas = {0.9, 1}})
    raises("Adam: lr must be non-negative, got -1", adam, -1)
    raises("StepLR: argument 2 (step_size): expected number, got nothing", optim.lr_scheduler.StepLR, adam())
    raises("Linear: out_features: expected an integer, got 1.5", nn.Linear, 2, 1.5)
    raises('SWALR: anneal_strategy must be "cos" or "linear", got "steps"', optim.swa_utils.SWALR, adam(), 1,
      {anneal_strategy = "steps"})
  end)
  it("are refused by helpers and functions of tests too", function()
    local F = nn.functional
    raises("celu_: unknown option 'alfa'", F.celu_, tide.ones(1), {alfa = 2})
    raises("max_pool1d_with_indices: argument 2 (kernel_size)", F.max_pool1d_with_indices, tide.ones(1, 3, 8), "2")
    raises("f1: option 'threshold': expected number", tide.metrics.functional.f1, tide.ones(2), tide.ones(2),
      {threshold = "a"})
    raises("describe: argument 2 (fn): expected function, got nothing", test.describe, "sums")
    raises("close: rtol must be non-negative, got -1", test.close, 1, 1, {rtol = -1})
    raises("run: unknown option 'tag'; did you mean 'tags'?", test.run, {tag = "#slow"})
    raises("progress: unknown option 'labels'; did you mean 'label'?", tide.progress, 3, {labels = "train"})
    raises("progress: too many arguments: argument 2 is a number", tide.progress, 3, 4)
    raises("explain: too many arguments: argument 2 is a number", tide.explain, tide.ones(1), 2)
    raises("args: argument 1 (defaults): expected table, got nothing", tide.args)
    raises("class: too many arguments: argument 3 is a table", tide.class, "Net", nn.Module, {})
  end)
  it("leave tables that are compared alone", function()
    equal({expected = 1}, {expected = 1})
    raises("equal", equal, {got = 1, expected = 1}, {got = 1, expected = 2})
    test.close({mean = 0.1}, {mean = 0.1})
  end)
  it("may be false for nil, which no table can hold", function()
    equal(nn.Linear(2, 3, {device = false, dtype = false}).weight.dtype, "float32")
    equal(#tide.data.DataLoader({1, 2, 3}, {sampler = false}), 3)
    raises("Linear: argument 3 (bias): expected boolean, got number", nn.Linear, 2, 3, 1)
    equal(nn.Linear(2, 3, false).bias, nil)
  end)
  it("accept tensors and callable tables where they make sense", function()
    for _, name in ipairs {"SGD", "Adam", "AdamW", "Rprop"} do
      local w = nn.Parameter(tide.ones(2))
      local by_tensor, other = optim[name]({w}, {lr = tide.tensor(0.5)}), nn.Parameter(tide.ones(2))
      local by_number = optim[name]({other}, {lr = 0.5})
      tide.autograd.backward({(w * 2):sum(), (other * 2):sum()})
      by_tensor:step()
      by_number:step()
      test.close(w:detach(), other:detach())
    end
    local half = setmetatable({}, {__call = function() return 0.5 end})
    local plan = optim.lr_scheduler.LambdaLR(adam(1), half)
    equal(plan:get_last_lr()[1], 0.5)
    local norm = nn.utils.clip_grad_norm_
    local w = nn.Parameter(tide.ones(4))
    w:sum():backward()
    equal(norm(w, 1.0):item(), 2.0)
  end)
  it("reject tensors as sizes", function()
    raises("LayerNorm: argument 1 (normalized_shape): expected integer or table of integers, got tensor", nn.LayerNorm,
      tide.tensor{2, 3})
  end)
  it("accept integral floats for integers, and use the value of another parameter as a default", function()
    equal(math.type(nn.Linear(2.0, 3).in_features), "integer")
    equal(optim.lr_scheduler.CyclicLR(adam(), 0.1, 1, {step_size_up = 7}).step_size_down, 7)
  end)
end)

describe("a table with names as the last argument", function()
  it("holds options, unless it is the value of the last parameter", function()
    raises("get_model: argument 1 (name): expected string, got nothing", tide.vision.models.get_model, {options = {}})
    equal(tide.vision.models.get_model("lenet", {num_classes = 2})(tide.ones(1, 1, 28, 28)).shape, {1, 2})
    local set = {get = function(_, i) return i end, rows = 3}
    setmetatable(set, {__len = function(self) return self.rows end})
    equal(#tide.data.DataLoader(set), 3)
    raises("DataLoader: unknown option 'rows'", tide.data.DataLoader, set, {rows = 3})
  end)
end)

describe("kinds", function()
  local function accepts(type, value) return pcall(kinds.reader(type), "f", "argument 1 (x)", "x", value) end
  it("accept values of their kind", function()
    local accepted = {
      {"any", 1}, {"number | false", false}, {"integer[] | integer", {1, 2}}, {"number[] | tensor", tide.ones(2)},
      {"function", print}, {"function", nn.ReLU()}, {"module", nn.ReLU()}, {"module[]", {nn.ReLU()}},
      {'"a" | "b"', "b"}, {"number in (0, 1]", 1}, {"number[2] > 0", {1, 2}}, {"integer[][]", {{1}, {2, 3}}},
      {"number < 1", 0.5}, {"tensor | number >= 0", tide.ones(1)}, {"loader", {}},
    }
    for _, case in ipairs(accepted) do equal({case[1], (accepts(case[1], case[2]))}, {case[1], true}) end
  end)
  it("keep floats if they are fractions", function()
    local function read(type, value) return kinds.reader(type)("f", "argument 1 (x)", "x", value) end
    equal(math.type(read("integer", 1.0)), "integer")
    equal(math.type(read("integer | false", 1.0)), "integer")
    equal(math.type(read("integer | number", 1.0)), "float")
    local pruned = tide.nn.Linear(4, 4)
    tide.nn.utils.prune.l1_unstructured(pruned, "weight", 1.0)
    equal(pruned.weight:eq(0):sum():item(), 16)
  end)
  it("reject everything else", function()
    local refused = {
      {"number | false", true}, {"integer[]", {1, 2.5}}, {"integer", 2.5}, {"integer", "2"}, {"function", {}},
      {"module", {}}, {'"a" | "b"', "c"}, {"number in (0, 1]", 0}, {"number[2] > 0", {1, 2, 3}},
      {"number[2] > 0", {1, 0}}, {"integer[][]", {{1}, 2}}, {"number < 1", 1}, {"loader", 3}, {"tensor", {}},
      {"number >= 0", 0 / 0}, {"number[]", tide.ones(2)}, {"boolean", 1}, {"string", 1}, {"number", "1"},
    }
    for _, case in ipairs(refused) do equal({case[1], (accepts(case[1], case[2]))}, {case[1], false}) end
  end)
end)

describe("the files of the library", function()
  it("declare each name once, with types and defaults that can be parsed", function()
    local seen, count = {}, 0
    for _, path in ipairs(native.list_embedded "tide/") do
      local file = path:match "^tide/(.*%.lua)$"
      for _, block in ipairs(file and declaration.blocks(file) or {}) do
        if seen[block.name] then error(block.name .. " is declared in " .. seen[block.name] .. " and in " .. file) end
        seen[block.name], count = file, count + 1
        for _, parameter in ipairs(declaration.of(block.name, file).parameters) do
          local place = ("%s: %s"):format(block.name, parameter.name)
          if not parameter.about or parameter.about == "" then error(place .. " has no text") end
          kinds.reader(parameter.type)
          local default = parameter.default or "nil"
          if not load("return " .. default) then error(place .. ": no value of Lua: " .. default) end
        end
      end
    end
    assert(count > 0)
  end)
end)
