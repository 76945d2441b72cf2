-- tide.autograd: ops written in Lua, derivatives as tensors, checks, recomputation, anomaly
-- detection; gradients of parts that are joined.
local tide = require "tide"
local test = require "tide.test"
local class = require "tide.class"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local autograd = tide.autograd

local function numbers(device, values, options)
  local all = {dtype = "float64", device = device}
  for key, value in pairs(options or {}) do all[key] = value end
  return tide.tensor(values, all)
end

local tracked = {requires_grad = true}

describe("ops written in Lua", function(device)
  local Exp = class("Exp", autograd.Function)
  function Exp.forward(ctx, x)
    local y = x:exp()
    ctx:save_for_backward(y)
    return y
  end
  function Exp.backward(ctx, dy) return dy * ctx.saved_tensors[1] end

  it("run their forward without a grad function and their backward in its place", function()
    local x = numbers(device, {0.5, -1.0}, tracked)
    local y = Exp.apply(x)
    test.is_true(y.requires_grad)
    y:sum():backward()
    close(x.grad, x:detach():exp())
    test.is_false(Exp.apply(x:detach()).requires_grad)
    test.is_false(tide.no_grad(Exp.apply, x).requires_grad)
  end)
  it("have second derivatives if their backward has gradients", function()
    test.is_true(autograd.gradgradcheck(Exp.apply, numbers(device, {0.5, -1.0}, tracked)))
  end)
  it("take and return several values, only some of which matter", function()
    local scale = autograd.Function{
      name = "Scale",
      forward = function(ctx, x, factor, y)
        ctx:save_for_backward(x, y)
        ctx.factor = factor
        equal(ctx.needs_input_grad, {true, false, false})
        return x * factor, x * y
      end,
      backward = function(ctx, da, db)
        local _, y = table.unpack(ctx.saved_tensors)
        return da * ctx.factor + db * y, nil, nil
      end,
    }
    local x, y = numbers(device, {1.0, 2.0}, tracked), numbers(device, {3.0, 4.0})
    local a, b = scale(x, 10, y)
    tide.add(a, b * 2):sum():backward()
    close(x.grad, {16, 18})
    x.grad = nil
    a = scale(x, 10, y)
    a:sum():backward()
    close(x.grad, {10, 10})
  end)
  it("keep saved values, regardless of later writes", function()
    local x = numbers(device, {1.0, 2.0}, tracked)
    local y = Exp.apply(x)
    local before = y:detach():clone()
    tide.no_grad(function() y:zero_() end)
    y:sum():backward()
    close(x.grad, before)
  end)
  it("report errors in their gradients", function()
    local function op(backward)
      return autograd.Function{name = "Op", forward = function(_, x) return x * 1 end,
        backward = backward}
    end
    local x = numbers(device, {1.0, 2.0}, tracked)
    raises("Op: backward returned a gradient of shape (1) for argument 1 of shape (2)", function()
      op(function(_, dy) return dy:narrow(1, 1, 1) end)(x):sum():backward()
    end)
    raises("Op: backward returned 2 gradients for 1 arguments", function()
      op(function(_, dy) return dy, dy end)(x):sum():backward()
    end)
    raises("oh no", function() op(function() error("oh no") end)(x):sum():backward() end)
  end)
  it("release everything when their results are released", function()
    local watched = setmetatable({}, {__mode = "k"})
    do
      local marker = {}
      watched[marker] = true
      local op = autograd.Function{
        forward = function(ctx, x)
          ctx.marker = marker
          local y = x * 2
          ctx:save_for_backward(x, y)
          return y
        end,
        backward = function(_, dy) return dy * 2 end,
      }
      op(numbers(device, {1.0}, tracked)):sum():backward()
    end
    for _ = 1, 4 do
      collectgarbage()
      -- References from grad functions are dropped when the next op is written.
      autograd.Function{forward = function(_, x) return x * 1 end,
        backward = function(_, dy) return dy end}(numbers(device, {1.0}, tracked))
    end
    equal(next(watched), nil)
  end)
end)

describe("derivatives", function(device)
  local function cube(x) return (x ^ 3):sum() end

  it("jacobian and hessian of one and of several tensors", function()
    local x = numbers(device, {1.0, 2.0, 3.0})
    close(autograd.jacobian(function(v) return v ^ 2 end, x), tide.diag(x * 2))
    close(autograd.hessian(cube, x), tide.diag(x * 6))
    local a, b = numbers(device, {{1.0, 2.0}, {3.0, 4.0}}), numbers(device, {5.0, 6.0})
    local by = autograd.jacobian(function(m, v) return m:mv(v) end, {a, b})
    close(by[2], a)
    close(by[1][1], {{5, 6}, {0, 0}})
    local two = autograd.jacobian(function(v) return v * 2, v:sum() end, x)
    close(two[1], tide.eye(3, {dtype = "float64"}) * 2)
    close(two[2], {1, 1, 1})
    local blocks = autograd.hessian(function(u, v) return (u * u * v):sum() end, {b, b})
    close(blocks[1][1], tide.diag(b * 2))
    close(blocks[1][2], tide.diag(b * 2))
    close(blocks[2][2], tide.zeros(2, 2):double())
  end)
  it("products with vectors agree with the full derivatives", function()
    local m = numbers(device, {{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
    local x, v, w = numbers(device, {0.5, 2.0}), numbers(device, {1.0, -1.0}),
      numbers(device, {1.0, 2.0, 3.0})
    local function f(u) return m:mv(u ^ 2) end
    local whole = autograd.jacobian(f, x)
    local y, left = autograd.vjp(f, x, w)
    close(y, f(x))
    close(left, whole:t():mv(w))
    close((select(2, autograd.jvp(f, x, v))), whole:mv(v))
    close((select(2, autograd.hvp(cube, x, v))), autograd.hessian(cube, x):mv(v))
    raises("vjp: a vector v is missing", autograd.vjp, f, x)
  end)
  it("are checked against finite differences", function()
    local x = numbers(device, {0.3, 0.7}, tracked)
    test.is_true(autograd.gradcheck(function(v) return v:sin() * v, v:sum() end, x))
    local wrong = autograd.Function{forward = function(_, v) return v * v end,
      backward = function(_, dy) return dy end}
    raises("result 1 by input 1: the gradient is 1, finite differences give 0.6",
      autograd.gradcheck, wrong, x)
    equal(autograd.gradcheck(wrong, x, {raise_exception = false}), false)
    raises("finite differences need float64", autograd.gradcheck, wrong,
      tide.ones({1}, {requires_grad = true, device = device}))
  end)
  it("are propagated from several tensors at once", function()
    local x = numbers(device, {1.0, 2.0}, tracked)
    autograd.backward({x:sum(), x * x}, {nil, numbers(device, {1.0, 10.0})})
    close(x.grad, {3, 41})
  end)
end)

describe("checkpoints", function(device)
  it("do not change an argument that the function returns", function()
    local x = tide.ones({2}, {device = device})
    local y = tide.checkpoint(function(...) return ... end, x)
    equal({x.requires_grad, y.requires_grad, y:tolist()}, {false, true, {1.0, 1.0}})
  end)
  it("compute the same values and gradients, with the same random numbers", function()
    local net = tide.nn.Sequential(tide.nn.Linear(3, 4), tide.nn.Dropout(0.5), tide.nn.Linear(4, 2))
    net:to(device):double()
    local x = numbers(device, {{1.0, 2.0, 3.0}, {-1.0, 0.5, 2.0}}, tracked)
    local function run(call)
      tide.manual_seed(3)
      net:zero_grad()
      x.grad = nil
      local y = call()
      y:square():sum():backward()
      return y:detach(), x.grad, net[1].weight.grad:clone()
    end
    local plain = {run(function() return net(x) end)}
    local saved = {run(function() return tide.checkpoint(net, x) end)}
    for i = 1, 3 do close(saved[i], plain[i], {rtol = 1e-12}) end
  end)
  it("do not affect later random numbers", function()
    local x = numbers(device, {1.0, 2.0, 3.0, 4.0}, tracked)
    local function run(call)
      tide.manual_seed(5)
      local y = call(function(value) return tide.nn.functional.dropout(value, 0.5) end, x)
      local between = tide.rand(4)
      y:sum():backward()
      return {between:tolist(), tide.rand(4):tolist()}
    end
    equal(run(tide.checkpoint), run(function(fn, ...) return fn(...) end))
  end)
  it("reach parameters even if no argument requires a gradient", function()
    local layer = tide.nn.Linear(2, 1):to(device)
    tide.checkpoint(layer, tide.ones({1, 2}, {device = device})):sum():backward()
    close(layer.weight.grad, {{1, 1}})
  end)
  it("recompute with the original autocast mode", function()
    local layer = tide.nn.Linear(2, 2):to(device)
    local x = tide.ones({1, 2}, {device = device})
    local types = {}
    local function part(value)
      local y = layer(value)
      types[#types + 1] = y.dtype
      return y
    end
    local function forward() return tide.checkpoint(part, x):float():sum() end
    local inside = tide.autocast({dtype = "float16"}, forward)
    inside:backward()
    local outside = forward()
    tide.autocast(function() outside:backward() end)
    equal(types, {"float16", "float16", "float32", "float32"})
    test.is_false(tide.is_autocast_enabled())
  end)
end)

describe("anomaly detection", function(device)
  it("reports the op and line that first computed one", function()
    local x = tide.tensor({1.0, 0.0}, {device = device})
    local _ <close> = tide.detect_anomaly()
    raises("detect_anomaly: log: the result of shape (2) contains nan or infinity",
      function() return x:log() end)
    local masked = x:masked_fill(x:eq(0), -math.huge) -- requested, not computed
    close((masked + 1)[1], 2.0)
  end)
  it("reports the op whose gradient first was one", function()
    local x = tide.tensor({4.0, 0.0}, {device = device, requires_grad = true})
    tide.detect_anomaly(function()
      local y = x:sqrt()
      raises("detect_anomaly: the gradient of sqrt contains nan or infinity; computed for",
        function() y:sum():backward() end)
    end)
    x:sqrt():sum():backward()
    equal(x.grad[2]:item(), math.huge)
  end)
end)

describe("gradients of expanded leaves", function(device)
  it("are dense, with and without a graph of their own", function()
    for _, create_graph in ipairs {false, true} do
      local x = tide.ones({2, 1}, {device = device}):expand(2, 3):requires_grad_()
      x:sum():backward({create_graph = create_graph})
      test.is_true(x.grad:is_contiguous())
      tide.no_grad(function() x.grad[1]:add_(1) end)
      close(x.grad, {{2, 2, 2}, {1, 1, 1}})
    end
  end)
end)

describe("parts of a tensor", function(device)
  it("have their gradients joined at once", function()
    local x = numbers(device, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, tracked)
    local a, b = table.unpack(x:split({1, 2}, 2))
    local rows = x:unbind(1)
    local total = a:sum() * 2 + (b * b):sum() + rows[2]:sum() * 10
    total:backward()
    close(x.grad, {{2, 4, 6}, {12, 20, 22}})
    test.is_true(autograd.gradgradcheck(function(v)
      local parts = v:chunk(2, 1)
      return parts[1] * parts[2] ^ 2
    end, x))
  end)
  it("each have a backward pass, one after the other", function()
    local x = numbers(device, {1.0, 2.0}, tracked)
    local a, b = table.unpack(x:unbind())
    a:backward()
    b:backward()
    close(x.grad, {1, 1})
  end)
  it("are still views: the base shows writes", function()
    local x = numbers(device, {1.0, 2.0, 3.0}, tracked)
    local y = x * 1
    y:split(2)[1]:mul_(10)
    y:sum():backward()
    close(y, {10, 20, 3})
    close(x.grad, {10, 10, 1})
  end)
end)
