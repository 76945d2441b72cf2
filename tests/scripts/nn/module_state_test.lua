-- Modules: named children, lists that grow and shrink, the text of modules, hooks of states.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local nn = tide.nn

local function sorted_names(state)
  local names = {}
  for name in pairs(state) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function child_names(net)
  local names = {}
  for name in net:named_children() do names[#names + 1] = name end
  return names
end

describe("Sequential", function()
  it("names children in PyTorch's order", function()
    local net = nn.Sequential {{"conv", nn.Conv2d(1, 2, 3)}, {"relu", nn.ReLU()}, nn.Flatten()}
    equal(rawequal(net.conv, net[1]), true)
    equal(child_names(net), {"conv", "relu", 3})
    equal(sorted_names(net:state_dict()), {"conv.bias", "conv.weight"})
    equal(net:get_submodule("relu") == net[2], true)
    equal(net(tide.ones(1, 1, 4, 4)).shape, {1, 8})
    equal(tostring(net),
      "Sequential(\n  conv: Conv2d(1 -> 2, 3x3)\n  relu: ReLU()\n  [3]: Flatten()\n)")
    local one = nn.Sequential {"only", nn.Linear(1, 1)}
    equal(child_names(one), {"only"})
    one:add_module("more", nn.Tanh())
    equal(child_names(one), {"only", "more"})
    local copy = net:clone()
    equal(child_names(copy), {"conv", "relu", 3})
    equal(rawequal(copy.conv, copy[1]) and not rawequal(copy.conv, net.conv), true)
  end)
  it("replaces a child under both its names", function()
    local net = nn.Sequential {{"a", nn.ReLU()}, {"b", nn.Tanh()}}
    local new = nn.Sigmoid()
    net.b = new
    equal(rawequal(net[2], new), true)
    net[1] = new
    equal(rawequal(net.a, new), true)
    equal(#net:modules(), 2)
  end)
  -- As PyTorch's insert, extend, pop and append do on the same lists.
  it("grows and shrinks at any position", function()
    for _, make in ipairs {function(list) return nn.Sequential(list) end, nn.ModuleList} do
      local a, b, c, d = nn.Linear(1, 1), nn.Linear(2, 2), nn.Linear(3, 3), nn.Linear(4, 4)
      local net = make {a, b}
      equal(rawequal(net:insert(1, c), net), true)
      net:insert(-1, d)
      local function order()
        local sizes = {}
        for i, child in ipairs(net) do sizes[i] = child.in_features end
        return sizes
      end
      equal(order(), {3, 1, 4, 2})
      equal(rawequal(net:pop(2), a), true)
      equal(rawequal(net:pop(), b), true)
      equal(order(), {3, 4})
      equal(net[3], nil)
      net:extend {a, b}
      net:extend(net)
      equal(order(), {3, 4, 1, 2, 3, 4, 1, 2})
      equal(#net:parameters(), 8)
      equal(sorted_names(net:state_dict())[16], "7.weight")
      net:pop(-8)
      equal(order(), {4, 1, 2, 3, 4, 1, 2})
    end
    local net = nn.Sequential {{"a", nn.Linear(1, 1)}, nn.Linear(2, 2), {"c", nn.Linear(3, 3)}}
    net:insert(2, {"b", nn.Linear(4, 4)})
    equal(child_names(net), {"a", "b", 3, "c"})
    equal(sorted_names(net:state_dict())[1], "2.bias")
    net:pop(1)
    equal(child_names(net), {"b", 2, "c"})
    equal(net.c.in_features, 3)
    raises("Sequential.a: there is no such name", function() return net.a end)
  end)
  it("accepts positions from the end, and ranges, like Python's lists", function()
    for _, make in ipairs {function(list) return nn.Sequential(list) end, nn.ModuleList} do
      local a, b, c, d = nn.Linear(1, 1), nn.Linear(2, 2), nn.Linear(3, 3), nn.Linear(4, 4)
      local net = make {a, b, c}
      net[-1] = d
      equal({#net, rawequal(net[3], d), rawequal(net[-1], d), rawequal(net[-3], a)}, {3, true, true, true})
      equal(#net:parameters(), 6)
      local part = net[{2, -1}]
      equal({tostring(getmetatable(part)), #part, rawequal(part[1], b), rawequal(part[2], d)},
        {tostring(getmetatable(net)), 2, true, true})
      equal({#net[{1, 1}], #net[{2}], #net[{3, 2}]}, {1, 2, 0})
      net[4] = c
      equal({#net, rawequal(net[-1], c)}, {4, true})
      raises(": position 6 is out of range: there are 4 modules", function() net[6] = a end)
      raises(": position -5 is out of range: there are 4 modules", function() net[-5] = a end)
      raises(": position 0 is out of range", function() net[0] = a end)
      raises(": position -5 is out of range: there are 4 modules", function() return net[-5] end)
      raises(": position 5 is out of range", function() return net[{2, 5}] end)
      raises(": expected a position or a range {first, last}", function() return net[{1, 2, 3}] end)
      raises("one module can be replaced at a time", function() net[{1, 2}] = a end)
      raises("expected a module, got a number", function() net[-1] = 5 end)
      equal(#net, 4)
    end
    local named = nn.Sequential {{"a", nn.ReLU()}, {"b", nn.Tanh()}}
    equal(child_names(named[{2, 2}]), {"b"})
    named[-1] = nn.Sigmoid()
    equal(tostring(named.b), "Sigmoid()")
    local Derived = tide.class("Derived", nn.Sequential)
    function Derived:init(width) nn.Sequential.init(self, nn.Linear(width, 1), nn.ReLU()) end
    equal(tostring(Derived(3)[{2, 2}]), tostring(nn.Sequential(nn.ReLU())))
  end)
  it("reports values that are not a child, a name or a position", function()
    local net = nn.Sequential {{"a", nn.ReLU()}}
    raises("Sequential: expected a module, got a number", nn.Sequential, nn.ReLU(), 3)
    raises("Sequential: expected a module, got a nil", net.add, net, nil)
    raises("Sequential: expected a module, got the class ReLU: its layers are ReLU(...)", nn.Sequential, nn.ReLU)
    raises("Sequential: expected a module, got a function: layers are objects, as nn.ReLU()", nn.Sequential,
      nn.functional.relu)
    raises("the name 'a' cannot be given", net.append, net, {"a", nn.ReLU()})
    raises("the name 'forward' cannot be given", net.append, net, {"forward", nn.ReLU()})
    raises("the name 'x.y' cannot be given", net.append, net, {"x.y", nn.ReLU()})
    raises("insert: position 3 is out of range: there are 1", net.insert, net, 3, nn.ReLU())
    raises("pop: position 2 is out of range", net.pop, net, 2)
    raises("pop: position 0 is out of range", nn.Sequential().pop, nn.Sequential())
    raises("expected a list of modules, got Linear", net.extend, net, nn.Linear(1, 1))
  end)
end)

describe("modules", function(device)
  it("show the text of extra_repr", function()
    local Net = tide.class("Net", nn.Module)
    function Net:init() self.layer = nn.Linear(2, 1) end
    function Net:extra_repr() return "depth = 3\nwidth = 4" end
    equal(tostring(Net()), "Net(\n  depth = 3\n  width = 4\n  layer: Linear(2 -> 1)\n)")
    local Leaf = tide.class("Leaf", nn.Module)
    function Leaf:extra_repr() return "size = 1" end
    equal(tostring(Leaf()), "Leaf(size = 1)")
    equal(nn.Linear(3, 2):extra_repr(), "3 -> 2")
  end)
  it("move without copying values", function()
    local net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    local weight = net[1].weight
    net(tide.ones(4, 3)):sum():backward()
    equal(rawequal(net:to_empty(device), net), true)
    equal(rawequal(net[1].weight, weight), true)
    for _, tensor in ipairs {weight, weight.grad, net[2].running_mean, net[2].num_batches_tracked} do
      equal(tostring(tensor.device), tostring(tide.device(device)))
    end
    equal(weight.shape, {2, 3})
    equal(weight.requires_grad, true)
    equal(net[2].num_batches_tracked.dtype, "int64")
    raises("argument 1 (device): expected device, got nothing", net.to_empty, net)
  end)
  it("list shared tensors under each name, as in PyTorch's state_dict", function()
    local shared = nn.Linear(1, 1)
    local net = nn.Sequential(shared, shared)
    equal(sorted_names(net:state_dict()), {"0.bias", "0.weight", "1.bias", "1.weight"})
    equal(#net:parameters(), 2)
    equal(sorted_names(nn.ParameterList({tide.ones(1), tide.ones(1)}):state_dict()), {"0", "1"})
  end)
end)

describe("hooks of states", function()
  it("receive a state before and after, and may change it", function()
    local net, calls = nn.Sequential(nn.Linear(1, 1), nn.ReLU()), {}
    local function note(text) calls[#calls + 1] = text end
    net:register_state_dict_pre_hook(function(module, prefix, keep_vars)
      note(("before %s%s %s"):format(module == net, prefix, keep_vars))
    end)
    net[1]:register_state_dict_pre_hook(function(_, prefix) note("before " .. prefix) end)
    net[1]:register_state_dict_post_hook(function(_, state, prefix)
      note("after " .. prefix)
      state[prefix .. "bias"] = nil
    end)
    local remove = net:register_state_dict_post_hook(function(module, state, prefix)
      note("after " .. prefix)
      state.more = module[1].bias
    end)
    local state = net:state_dict {prefix = "m.", keep_vars = true}
    -- PyTorch calls them in this order.
    equal(calls, {"before truem. true", "before m.0.", "after m.0.", "after m."})
    equal(sorted_names(state), {"m.0.weight", "more"})
    equal(rawequal(state["m.0.weight"], net[1].weight), true)
    remove()
    equal(sorted_names(net:state_dict()), {"0.weight"})
  end)
  it("may rename entries, and allow missing ones", function()
    local net = nn.Sequential(nn.Linear(1, 1))
    local seen
    net[1]:register_load_state_dict_pre_hook(function(_, state, prefix, strict)
      seen = prefix .. tostring(strict)
      state[prefix .. "weight"], state.old = state.old, nil
    end)
    local given = {old = tide.tensor {{7.0}}, ["0.bias"] = tide.tensor {8.0}}
    net:load_state_dict(given)
    equal({net[1].weight:item(), net[1].bias:item()}, {7.0, 8.0})
    equal(sorted_names(given), {"0.bias", "old"})
    equal(seen, "0.true")
    raises("missing: 0.bias", net.load_state_dict, net, {old = tide.tensor {{9.0}}})
    equal(net[1].weight:item(), 7.0)
    local order = {}
    net[1]:register_load_state_dict_post_hook(function(_, keys)
      order[#order + 1] = "child"
      equal(keys.missing_keys, {"0.bias"})
    end)
    net:register_load_state_dict_post_hook(function(_, keys)
      order[#order + 1] = "parent"
      table.remove(keys.missing_keys)
    end)
    net:load_state_dict {old = tide.tensor {{9.0}}}
    equal(net[1].weight:item(), 9.0)
    equal(order, {"child", "parent"})
  end)
end)

describe("initialize", function()
  it("with a list of devices computes on the input's device, as in Gluon", function()
    local devices = {"cpu", "sim:0", "sim:1"}
    local net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    local alone = net:clone()
    equal(rawequal(net:initialize {ctx = devices}, net), true)
    local x = tide.rand(6, 3)
    for i, device in ipairs(devices) do
      local y = net(x[{ {2 * i - 1, 2 * i} }]:to(device))
      equal(tostring(y.device), tostring(tide.device(device)))
      test.close(y, alone(x[{ {2 * i - 1, 2 * i} }]), {atol = 1e-6})
      y:square():sum():backward()
    end
    alone(x):square():sum():backward()
    for i, parameter in ipairs(net:parameters()) do
      equal(tostring(parameter.device), "cpu")
      test.close(parameter.grad, alone:parameters()[i].grad, {atol = 1e-5})
    end
    equal(net[1].weight:data("sim:1"):tolist(), net[1].weight:tolist())
    local lazy = nn.Sequential()
    lazy:add(nn.Dense(2))
    lazy:initialize {ctx = {"sim:0", "sim:1"}}
    raises("must be on sim:0", lazy, tide.ones(1, 3, {device = "sim:1"}))
    lazy(tide.ones(1, 3, {device = "sim:0"}))
    equal(lazy(tide.ones(4, 3, {device = "sim:1"})).shape, {4, 2})
    raises("the list of devices is empty", net.initialize, net, {ctx = {}})
  end)
  it("fills the weights of lazy layers when they are created", function()
    local init = tide.nn.init
    for _, ask in ipairs {
      function(net) return net:initialize {init = init.ones_} end,
      function(net) return net:initialize(init.ones_) end,
      function(net) return net:initialize(init.ones_, "cpu") end,
    } do
      local net = nn.Sequential(nn.Dense(2), nn.LazyConv2d(3, 1), nn.Linear(4, 2), nn.LazyBatchNorm2d())
      ask(net)
      net[1](tide.rand(1, 4))
      net[2](tide.rand(1, 5, 2, 2))
      net[4](tide.rand(2, 3, 2, 2))
      for i = 1, 3 do test.equal(net[i].weight:detach(), tide.ones_like(net[i].weight)) end
      equal(net[1].bias:requires_grad_(false):eq(1):any():item(), false)
      equal(net[1].weight.requires_grad, true)
    end
    raises("initialize: argument 1 (init): expected function, got number",
      nn.Dense(2).initialize, nn.Dense(2), 5)
    raises("initialize: unknown option 'cxt'", nn.Dense(2).initialize, nn.Dense(2), {cxt = "cpu"})
  end)
end)

describe("load_state_dict", function()
  it("reports all mismatches, in order, and copies nothing", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    local before = net[1].weight:clone()
    local state = net:state_dict()
    state["0.weight"], state["1.bias"], state["1.weight"] = tide.ones(2), 4, tide.ones(3, 3)
    raises("load_state_dict: 0.weight is (3, 2) in the module, but (2) in what is loaded; " ..
      "1.bias is a number in what is loaded, expected a tensor; " ..
      "1.weight is (1, 3) in the module, but (3, 3) in what is loaded",
      net.load_state_dict, net, state)
    test.is_true(net[1].weight:equal(before))
  end)
end)
