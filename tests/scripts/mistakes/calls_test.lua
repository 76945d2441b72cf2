-- Methods called with '.': the error shows the call with ':'.
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal

local kStart <const> = [[
local nn, optim, data = tide.nn, tide.optim, tide.data
local net, x, a, b = nn.Linear(3, 2), tide.ones(2, 3), tide.ones(2, 2), tide.ones(2, 2)
local opt = optim.SGD(net:parameters(), {lr = 0.1})
local sched = optim.lr_scheduler.StepLR(opt, 2)
local loader = data.DataLoader(data.TensorDataset(x))
local nets, loss, name = {net}, net(x):sum(), "name"
local Net = tide.class("Net", nn.Module)
function Net:init() self.act, self.fc = nn.functional.relu, nn.Linear(3, 2) end
function Net:forward(input) return self.fc(self.act(input)) end
function Net.double(input) return input * 2 end
local own = Net()
]]

local count = 0

--- The error of a text, as the program reports it; it is in line 12.
local function error_of(text)
  count = count + 1
  local chunk = "=calls" .. count
  source.keep(chunk, kStart .. text, 1)
  local ok, message = xpcall(assert(load(kStart .. text, chunk)), mistakes.describe)
  assert(not ok, "no error: " .. text)
  return message
end

-- The text, and its correct call; a third entry is the complete message.
local kMistakes <const> = {
  {"net.parameters()", "net:parameters()", "parameters: self is missing"},
  {"for name, p in net.named_parameters() do end", "net:named_parameters()"},
  {'net.to("cpu")', 'net:to("cpu")', "to: self is missing"},
  {"net.train()", "net:train()"}, {"net.eval()", "net:eval()"}, {"net.zero_grad()", "net:zero_grad()"},
  {"net.state_dict()", "net:state_dict()"}, {"nets[1].train()", "nets[1]:train()"},
  {"net.forward(x)", "net:forward(x)"}, {"nn.Sequential(net).forward(x)", ":forward(x)"},
  {"opt.step()", "opt:step()", "step: self is missing"}, {"opt.zero_grad()", "opt:zero_grad()"},
  {"opt.state_dict()", "opt:state_dict()"}, {"sched.step()", "sched:step()"},
  {"loader.iter()", "loader:iter()"},
  {"for x in loader.iter() do end", "loader:iter()"}, {"loader.dataset.get(1)", "loader.dataset:get(1)"},
  {"a.matmul(b)", "a:matmul(b)", "matmul: argument 2 (other): expected tensor, got nothing"},
  {'x.to("cpu")', 'x:to("cpu")'}, {"x.sum(1)", "x:sum(1)"}, {"x.view({3, 2})", "x:view({3, 2})"},
  {"loss.backward()", "loss:backward()"}, {"print(loss.item())", "loss:item()"}, {"x.T.sum()", "x.T:sum()"},
  {"tide.ones(2).sum()", ":sum()"}, {"tide.Event{}.record()", ":record()"},
  {"print(name.upper())", "name:upper()"},
  {"x.reshape(" .. ("1, "):rep(20) .. "6)", "x:reshape(...)"},
  {"x.reshape(\n3, 2)", "x:reshape(...)"},
}

-- Texts that fail for other reasons.
local kOthers <const> = {
  "tide.matmul(a)", "tide.sum()", "net.forward(net, 1)", "x.sum(x, 7)", "own.double()", "own.act()",
  "net:load_state_dict(1)", "nn.Linear.forward(net)", "a.matmul(a, tide.ones(3))", 'error "expected"', "string.upper()",
}

describe("a method called with '.'", function()
  for _, mistake in ipairs(kMistakes) do
    it("is corrected with ':': " .. mistake[1]:gsub("\n", " "), function()
      local message = error_of(mistake[1])
      equal(message:match "^calls%d+:12: .*; use ':', as in (.*)$", mistake[2])
      if mistake[3] then equal(message:match "^calls%d+:12: (.-); use", mistake[3]) end
    end)
  end
  it("may be one of the script, in which the error is", function()
    equal(error_of("own.forward(x)"):match "; .*$", "; use ':' at calls" .. count .. ":12, as in own:forward(x)")
  end)
  for _, text in ipairs(kOthers) do
    it("is not reported in " .. text, function() equal(error_of(text):find "use ':'", nil) end)
  end
end)

-- The text, and the correct call of its function.
local kNeedless <const> = {
  {"tide:ones(3)", "tide.ones(...)"}, {"tide:tensor({1, 2})", "tide.tensor(...)"}, {"nn:Linear(2, 3)", "nn.Linear(...)"},
  {"optim:SGD(net:parameters())", "optim.SGD(...)"}, {"local y = tide.nn:ReLU(1, 2, 3)", "tide.nn.ReLU(...)"},
}

describe("a function called with ':'", function()
  for _, mistake in ipairs(kNeedless) do
    it("is corrected with '.': " .. mistake[1], function()
      equal(error_of(mistake[1]):match "^calls%d+:12: .*; use '%.', as in (.*)$", mistake[2])
    end)
  end
  for _, text in ipairs {"x:sum(7)", "net:load_state_dict(1)", "opt:add_param_group(1)", "name:rep({})"} do
    it("is not reported in " .. text, function() equal(error_of(text):find "use '%.'", nil) end)
  end
end)

-- The text, and the beginning of its message.
local kNamed <const> = {
  {"x:isclose(tide.ones(7))", "isclose: eq: shapes do not broadcast: (2, 3) and (7)"},
  {"nn.Linear(2, 3, {dtype = 3})", "Linear: option 'dtype': expected type name, got number"},
  {"local y = tide.random.rayleigh(1, 2, {device = 3})", "rayleigh: option 'device': expected device, got number"},
  {"tide.as_tensor('a')", "as_tensor: tensor: expected numbers or booleans, got string"},
}

-- Errors that already name the function, or are not raised by a function of the library.
local kNotNamed <const> = {
  {"opt:add_param_group(1)", "add_param_group: argument 1 (group): "}, {"net(tide.ones(7))", "net (Linear 3 -> 2): linear: "},
  {"tide.matmul(a)", "matmul: "}, {'error("of its own")', "of its own"}, {"math.floor({})", "bad argument #1 to 'floor'"},
  {"x:relu_(1)", "relu: "}, {"print(x + {})", "+: expected tensor or number"},
}

describe("an error without the name of the called function", function()
  for _, case in ipairs(kNamed) do
    it("gets it as a prefix: " .. case[1], function()
      equal(error_of(case[1]):match("^calls%d+:12: (.*)$"):sub(1, #case[2]), case[2])
    end)
  end
  for _, case in ipairs(kNotNamed) do
    it("is not changed: " .. case[1], function()
      equal(error_of(case[1]):match("^calls%d+:12: (.*)$"):sub(1, #case[2]), case[2])
    end)
  end
end)

describe("an error inside the library", function()
  it("begins with the script's line", function()
    local message = error_of("tide.nn.Linear(3, 2):load_state_dict(1)")
    equal(message:match "^calls%d+:12: ", "calls" .. count .. ":12: ")
  end)
end)
