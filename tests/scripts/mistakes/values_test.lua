-- Names, fields and values as in Python: hints that the program adds to their errors.
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.equal, test.raises

local kStart <const> = "local x, net, list, text = tide.ones(2, 3), tide.nn.Linear(3, 2), {1}, 'a'\n"

local count = 0

--- The hint added to the error of a text; nil if there is none.
local function advice(text)
  count = count + 1
  local chunk = "=values" .. count
  source.keep(chunk, kStart .. text, 1)
  local fn, plain = assert(load(kStart .. text, chunk)), nil
  local ok, message = xpcall(fn, function(message)
    plain = message
    return mistakes.describe(message)
  end)
  assert(not ok, "no error: " .. text)
  assert(message:find "^values%d+:2: ", message)
  -- A known name is preferred to a similar one.
  if plain:find(": there is no such name", 1, true) and message:sub(1, #plain) ~= plain then
    plain = plain:match "^.-: there is no such name"
  end
  -- The called function comes first if the error names another one.
  message = message:gsub("^([^ ]+ )[%w_]+: ", message:sub(1, #plain) == plain and "%0" or "%1", 1)
  assert(message:sub(1, #plain) == plain, "the error's own message stands first")
  return message:sub(#plain + 1):match "^; (.*)$"
end

local kMistakes <const> = {
  {"torch.ones(2)", "the module is called tide"},
  {"print(len(x))", "in Lua: #x"},
  {"for i in range(3) do end", "in Lua: for i = 1, n do"},
  {"for i, v in enumerate(list) do end", "in Lua: for i, x in ipairs(list) do"},
  {'print(f"x is {x}")', 'in Lua: ("x is %d"):format(x)'},
  {"list.append(1)", "in Lua: list[#list + 1] = x"},
  {"for k, v in list.items() do end", "in Lua: for key, value in pairs(t) do"},
  {"print(x.shape())", "'shape' is a field: read it without ()"},
  {"print(x:shape())", "'shape' is a field: read it without ()"},
  {"print(x.device())", "'device' is a field: read it without ()"},
  {"print(x.T())", "'T' is a field: read it without ()"},
  {"print(net.training())", "'training' is a field: read it without ()"},
  {"print(x.size[1])", "'size' is a function: call it, x:size()"},
  {"print(x.numel + 1)", "'numel' is a function: call it, x:numel()"},
  {'print("n: " .. x.numel)', "'numel' is a function: call it, x:numel()"},
  {"for row in x do end", "in a loop: for i, row in ipairs(x) do"},
  {"for p in net:parameters() do end", "in a loop: ipairs(list), or pairs(t)"},
  {"for name, value in net:state_dict() do end", "in a loop: ipairs(list), or pairs(t)"},
  {"print('a' + 'b')", "in Lua: a .. b"},
  {"print('n: ' + 1)", "in Lua: a .. b"},
  {"print('x: ' + x)", "in Lua: a .. b"},
  {"print('x: %d' % 1)", 'in Lua: ("%d"):format(x)'},
  {"print('x: %f' % x)", 'in Lua: ("%d"):format(x)'},
  {"print(net.weight.grad.shape)", "x.grad is nil before backward"},
  {"tide.tensor(1, 2, 3)", "in Lua: tide.tensor{1, 2, 3}"},
  {"tide.tensor({1, 2}, 'float32')", 'options have names: {dtype = "float32"}'},
  {"tide.cat(x, x)", "pass the tensors in a table: {a, b}"},
  {"print(tide.tensor([[1,2],[3,4]]))", "[[ ]] is a string; in Lua: {{1, 2}, {3, 4}}"},
  {"print(math.exp(x))", "x:item() is its number, x:exp() takes tensors"},
  {"print(('%d'):format(x))", "x:item() is its number"},
  {"tide.zeros(2, {dtype = 'flot32'})", "did you mean 'float32'?"},
  {"tide.zeros(2, {dtype = 'long'})", "did you mean 'int64'?"},
  {"x:to('float')", "did you mean 'float32'?"},
  {"x:to('torch.float64')", "did you mean 'float64'?"},
  {"for x in tide.data.TensorDataset(x) do end", "in a loop: for i = 1, #dataset do, with dataset:get(i); " ..
    "in batches: tide.data.DataLoader(dataset)"},
  {"local Net = class('Net')", 'in Lua: tide.class("Net", nn.Module)'},
  {"tide.nn.Linear:new(1, 2)", "classes are called: Net()"},
  {"for i in 3 do end", "in Lua: for i = 1, n do"},
  {"for k, v in pairs(x) do end", "in a loop: for i, row in ipairs(x) do"},
  {"print((x == x + 1):sum())", "x:eq(y) and x:ne(y) compare elements"},
  {"print(unpack(list))", "in Lua 5.4: table.unpack(list)"},
  {"tide.ones(2, 'int32')", 'options have names: {dtype = "float32"}'},
  {"tide.ones(2, tide.int32)", 'options have names: {dtype = "float32"}'},
  {"tide.nn.functional.mse_loss(x, {1, 2})", "tide.tensor(list) makes one"},
  {"tide.nn.ReLU(x)", "create the layer first, then call it: nn.ReLU(...)(x)"},
  {"tide.nn.MSELoss(x, x)", "create the layer first, then call it: nn.MSELoss(...)(x)"},
  {"tide.nn.CrossEntropyLoss(x, x)", "create the layer first, then call it: nn.CrossEntropyLoss(...)(x)"},
  {"net:save('net.pt')", "tide.save(net, path) writes it"},
  {"x:numpy()", "x:tolist() gives tables, tide.np.save writes .npy"},
  {"x:astype('int64')", "x:to(dtype) converts"},
}

local kOthers <const> = {
  "list.field.x = 1", "input.x = 1", "print(max.x)", "local split = nil; split()", "frobnicate()", "list[1]()",
  "local shape = 1; shape()", "x:to('mars')", "print(text + {})", "error 'attempt'", "list.run()",
  "print(#net.weight.grad)", "tide.ones('2')", "tide.nn.Linear(1, 2, 3, 4, 5, 6)", "(1 < 2):f()",
}

describe("a mistake from Python", function()
  for _, mistake in ipairs(kMistakes) do
    it("gets a hint: " .. mistake[1], function() equal(advice(mistake[1]), mistake[2]) end)
  end
  for _, text in ipairs(kOthers) do
    it("gets no hint if it is none: " .. text, function() equal(advice(text), nil) end)
  end
  it("raises an error with the suggested name", function()
    local nn, optim, data = tide.nn, tide.optim, tide.data
    local net = nn.Linear(3, 2)
    local loader = data.DataLoader(tide.ones(4, 3), {batch_size = 2})
    raises("Adam: argument 2 (lr): expected tensor or number, got string", function()
      optim.Adam(net:parameters(), "fast")
    end)
    raises("DataLoader: batches are read by `for x, y in loader do`", function()
      for _ in ipairs(loader) do end
    end)
    raises("DataLoader: batches are read by `for x, y in loader do`", function()
      for _ in pairs(loader) do end
    end)
    raises("Sequential: positions start at 1, got 0", function() return nn.Sequential(net)[0] end)
    raises("index: positions start at 1, got 0", function() return tide.ones(2).shape[0] end)
    raises("index: positions start at 1, got -1", function() return tide.ones(2):tolist()[-1] end)
    raises('class: name: expected a string, got class Linear, as in tide.class("Net", nn.Module)', tide.class,
      nn.Linear)
    raises('class: base: expected a class, got string, as in tide.class("Net", nn.Module)', tide.class, "Net", "Module")
    raises("SGD: option 'lr': expected tensor or number, got string", optim.SGD, net:parameters(), {lr = "0.1"})
    raises('load_state_dict: expected a table of tensors by name, got string: tide.load("net.pt") reads one',
      net.load_state_dict, net, "net.pt")
    raises("save: the path is missing", tide.save, net)
    raises("use {} to select an entire dimension", function() return tide.ones(3, 3)[{":", 1}] end)
    raises("did you mean 'Linear'?", function() return nn.linear end)
    raises("did you mean 'is_available'?", function() return tide.cuda.availble end)
    raises("did you mean 'Adam'?", function() return optim.adam end)
    raises("did you mean 'relu'?", function() return nn.functional.rellu end)
  end)
end)

describe("a constant of Python", function()
  local constants = {True = "true", False = "false", None = "nil"}
  it("raises an error where it is read", function()
    for name, lua in pairs(constants) do
      for _, text in ipairs {"if %s then end", "while not %s do break end", "x:sum(1, %s)", "return _G.%s"} do
        count = count + 1
        local chunk = load(kStart .. text:format(name), "=values" .. count)
        raises(("values%d:2: there is no global '%s'; in Lua: %s"):format(count, name, lua), chunk)
      end
    end
  end)
  it("may be a name of the script", function()
    local chunk = load "local True = 1; None = 2; local sum = True + None; None = nil; return sum"
    equal(chunk(), 3)
  end)
end)

describe("a long message", function()
  it("is not changed", function()
    local text = "x:1: attempt to call a nil value (global 'len') " .. ("y"):rep(100000)
    equal(mistakes.describe(text), text)
    equal(mistakes.in_syntax(text .. " near 'x'"), text .. " near 'x'")
  end)
end)

describe("an error that passes twice", function()
  it("gets one hint", function()
    local _, message = xpcall(function() return torch.x end, mistakes.describe)
    equal(mistakes.describe(message), message)
  end)
end)
