-- Gradients compared with finite differences, accumulation, modes, in-place writes, second derivatives,
-- errors.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local equal, close, raises = test.same_type, test.close, test.raises
local F = tide.nn.functional

describe("gradients", function(device)
  local function random(...)
    return tide.randn(..., {dtype = "float64", device = device})
  end
  test.before_each(function() tide.manual_seed(11) end)

  it("of matmuls", function()
    check_gradient(function(a, b) return a:matmul(b) end, random({3, 4}), random({4, 2}))
    check_gradient(function(a, b) return a:transpose(2, 3):matmul(b) end, random({2, 4, 3}),
      random({4, 2}))
  end)
  it("of broadcasting sum over repeated elements", function()
    check_gradient(function(a, b) return a * b + b end, random({3, 1}), random({4}))
  end)
  it("of reductions and ops composed of them", function()
    check_gradient(function(x) return x:sum(1), x:mean(2), x:var(2), x:logsumexp(1) end, random({3,
      4}))
    check_gradient(function(x) return x:softmax(2), x:log_softmax(1) end, random({3, 4}))
    check_gradient(function(x) return x:max(2), x:amin(1) end, random({3, 4}))
    check_gradient(function(x) return x:norm(), x:prod(1) end, random({3, 4}))
  end)
  it("of views, joins and gathers", function()
    check_gradient(function(x) return x[{{1, -1, 2}}]:transpose(1, 2):reshape(-1), x[2] end,
      random({3, 4}))
    check_gradient(function(a, b) return tide.cat({a, b}, 2):flip(1), tide.stack({a, b}) end,
      random({2, 2}), random({2, 2}))
    local index = tide.tensor({{1, 3}, {2, 2}}):to(device)
    check_gradient(function(x) return x:gather(2, index), x:index_select(1, tide.tensor({2,
      2}):to(device)) end,
      random({2, 3}))
  end)
  it("of overlapping parts, between uses of the base", function()
    for _, start in ipairs {function(x) return x end, function(x) return x * 1 end} do
      check_gradient(function(x)
        local y = start(x)
        local both, all, row = y[{{1, 2}}] * y[{{2, 3}}], y * y, y[2]
        return both, y[3] * row, all, y[{{}, 2}] * y[{{}, 1}], row * 2, y:sum()
      end, random({3, 2}))
    end
  end)
  it("of parts of channels-last tensors", function()
    local x, w = random({2, 3, 4, 4}), random({5, 3, 3, 3})
    local grads = {}
    for i, format in ipairs {"contiguous_format", "channels_last"} do
      local input = x:clone():contiguous {memory_format = format}:detach():requires_grad_()
      local y = F.conv2d(input, w, {padding = 1})
      local sum = (y * y):sum()
      for c = 1, 5 do sum = sum + (y[{{}, c}] * c + input[{{}, 1}] ^ 2):sum() end
      sum:backward()
      grads[i] = input.grad
    end
    close(grads[2], grads[1])
  end)
  it("of convolutions and pools", function()
    check_gradient(function(x, w, b) return F.conv2d(x, w, b, {stride = 2, padding = 1}) end,
      random({2, 2, 5, 5}), random({3, 2, 3, 3}), random({3}))
    check_gradient(function(x) return F.max_pool2d(x, 2), F.avg_pool2d(x, 2) end, random({1, 2, 4,
      4}))
  end)
  it("of layer norm and losses", function()
    check_gradient(function(x, w, b) return F.layer_norm(x, {4}, w, b) end, random({3, 4}),
      random({4}), random({4}))
    local target = tide.tensor({1, 4, 2}):to(device)
    check_gradient(function(x) return F.cross_entropy(x, target) end, random({3, 4}))
    check_gradient(function(x, y) return F.mse_loss(x, y) end, random({3, 4}), random({3, 4}))
  end)
  it("of writes into slices", function()
    check_gradient(function(x, y)
      local z = x * 1
      z[{{1, 2}}] = y * 2
      z[3]:mul_(3)
      return z * z
    end, random({3, 2}), random({2, 2}))
  end)
end)

describe("backward", function(device)
  local function leaf(list) return tide.tensor(list, {device = device, requires_grad = true}) end

  it("keeps no tensor alive for a retained gradient", function()
    local function hold()
      local x = leaf({1.0, 2.0})
      local y = x * 2
      y:retain_grad()
      y:sum():backward()
      equal(y.grad:tolist(), {1.0, 1.0})
      local dropped = (x * 3):retain_grad():sum()
      collectgarbage()
      dropped:backward()
      equal(x.grad:tolist(), {5.0, 5.0})
    end
    hold()
    collectgarbage()
    tide.synchronize(device)
    local before = tide.memory_allocated(device)
    for _ = 1, 3 do hold() end
    collectgarbage()
    tide.synchronize(device)
    equal(tide.memory_allocated(device), before)
  end)
  it("releases the functions that it called, and what they reference", function()
    local before = tide.memory_allocated(device)
    for _ = 1, 3 do
      local x = leaf({1.0, 2.0})
      tide.checkpoint(function(y) return y * y end, x):sum():backward()
    end
    collectgarbage()
    tide.synchronize(device)
    equal(tide.memory_allocated(device), before)
  end)
  it("keeps its own gradient mode after functions that enable gradients", function()
    local x, modes = leaf({1.0, 2.0}), {}
    local function switch()
      modes[#modes + 1] = tide.is_grad_enabled()
      tide.enable_grad(function() end)
      modes[#modes + 1] = tide.is_grad_enabled()
    end
    x:register_hook(switch)
    local y = x * 2
    y:register_hook(switch)
    y:square():sum():backward()
    equal(modes, {false, false, false, false})
    equal(tide.is_grad_enabled(), true)
  end)
  it("passes through several checkpoints with other layers between them", function()
    local norm, x = tide.nn.BatchNorm2d(2), tide.linspace(-1, 1, 16):reshape(2, 2, 2, 2)
    norm:to(device)
    local function gradient(part)
      local start = x:to(device):requires_grad_()
      norm(part(norm(part(start)))):pow(3):sum():backward()
      return start.grad
    end
    local function part(y) return y:sin() end
    close(gradient(function(y) return tide.checkpoint(part, y) end), gradient(part))
  end)
  it("takes only paths to the tensors passed to grad", function()
    local a, b, called = leaf({1.0, 2.0}), leaf({3.0, 4.0}), {}
    local c, d = a * 2, b * 2
    c:register_hook(function() called[#called + 1] = "c" end)
    d:register_hook(function() called[#called + 1] = "d" end)
    local y = (c * d):sum()
    equal(tide.grad(y, {b}, {retain_graph = true}):tolist(), {4.0, 8.0})
    equal(called, {"d"})
    local by_c, by_a = tide.grad(y, {c, a}, {retain_graph = true})
    equal({by_c:tolist(), by_a:tolist()}, {{6.0, 8.0}, {12.0, 16.0}})
    equal(called, {"d", "c"})
    y:backward()
    equal({a.grad:tolist(), b.grad:tolist()}, {{12.0, 16.0}, {4.0, 8.0}})
  end)
  it("accepts gradients of the outputs by position or by name", function()
    local x = leaf({1.0, 2.0})
    local weights = tide.tensor({10.0, 100.0}, {device = device})
    local keep = {retain_graph = true}
    local y = x * x
    equal(tide.grad(y, x, weights, keep):tolist(), {20.0, 400.0})
    equal(tide.grad(y, x, {grad_outputs = weights, retain_graph = true}):tolist(), {20.0, 400.0})
    equal(tide.grad(y, x, nil, {grad_outputs = {weights}, retain_graph = true}):tolist(), {20.0, 400.0})
    equal(tide.grad(y:sum(), x, {retain_graph = true}):tolist(), {2.0, 4.0})
  end)
  it("adds to existing gradients", function()
    local x = leaf({1.0, 2.0})
    x:sum():backward();
    (x * 3):sum():backward()
    equal(x.grad:tolist(), {4.0, 4.0})
    x.grad = nil
    equal(x.grad, nil)
  end)
  it("calls the hooks of leaves in the order in which their gradients are computed", function()
    local sum, called, expected = 0, {}, {}
    for i = 1, 30 do
      local x = leaf({1.0, 2.0})
      x:register_hook(function() called[#called + 1] = i end)
      sum = sum + x
      table.insert(expected, 1, i)
    end
    sum:sum():backward()
    equal(called, expected)
  end)
  it("lets hooks read and replace gradients, until they are removed", function()
    local x, seen = leaf({1.0, 2.0, 3.0}), nil
    local remove = x:register_hook(function(gradient)
      seen = gradient:tolist()
      return gradient * 10
    end);
    (x * 2):sum():backward()
    equal(seen, {2.0, 2.0, 2.0})
    close(x.grad, {20, 20, 20})
    remove();
    (x * 2):sum():backward()
    close(x.grad, {22, 22, 22})
    x:register_hook(function() return leaf({1.0, 2.0}) end)
    raises("a hook gave a gradient of shape (2) in place of (3)", function()
      x:sum():backward()
    end)
  end)
  it("accepts a gradient of the tensor's shape and type", function()
    local x = leaf({1.0, 2.0})
    raises("grad: a gradient of shape (3) in place of (2)", function() x.grad = tide.ones(3):to(device) end)
    raises("grad: a gradient of type float64 in place of float32", function() x.grad = x:double() end)
    equal(x.grad, nil)
  end)
  it("leaves no reference cycles of gradients", function()
    local x, y = leaf({1.0, 2.0}), leaf({3.0, 4.0})
    raises("cannot be its own gradient", function() x.grad = x end)
    x.grad = y
    raises("nor that of its gradient", function() y.grad = x end)
  end)
  it("uses the values of the forward pass, regardless of later writes", function()
    local x, w = leaf({1.0, 2.0}), tide.tensor({3.0, 4.0}):to(device)
    local y = (x * w):sum()
    w:fill_(0)
    y:backward()
    equal(x.grad:tolist(), {3.0, 4.0})
  end)
  it("stops at detach and inside no_grad", function()
    local x = leaf({2.0})
    local y
    tide.no_grad(function() y = x * 2 end)
    test.is_false(y.requires_grad);
    (x * x:detach()):sum():backward()
    equal(x.grad:tolist(), {2.0})
  end)
  it("computes second derivatives", function()
    local x = leaf({2.0})
    local first = tide.grad((x ^ 3):sum(), x, {create_graph = true})
    first = type(first) == "table" and first[1] or first
    close(first, {12.0})
    first:sum():backward()
    close(x.grad, {12.0})
  end)
  it("runs twice only if the graph was retained", function()
    local x = leaf({2.0})
    local y = (x * x):sum()
    y:backward({retain_graph = true})
    y:backward()
    equal(x.grad:tolist(), {8.0})
    raises("backward: the graph was used and released already (sum)", function() y:backward() end)
  end)
  it("passes through 20 000 steps", function()
    local x = leaf({1.0})
    local y = x
    for _ = 1, 20000 do y = y + 1 end
    y:backward()
    equal(x.grad:tolist(), {1.0})
  end)
  it("rejects tensors without gradients, and non-scalars", function()
    raises("backward: the tensor has no grad function",
      function() tide.ones(1, {device = device}):backward() end)
    raises("expected one value or a gradient of the same shape, got shape (2)",
      function() (leaf({1.0, 2.0}) * 2):backward() end)
    raises("only floating types have gradients, not int64",
      function() tide.tensor({1}):requires_grad_() end)
  end)
  it("rejects in-place ops on leaves outside no_grad", function()
    local x = leaf({1.0})
    raises("a leaf that requires a gradient cannot be changed in place", x.add_, x, 1)
    tide.no_grad(function() x:add_(1) end)
    equal(x:tolist(), {2.0})
  end)
end)
