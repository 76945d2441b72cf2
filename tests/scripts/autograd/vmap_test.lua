-- tide.func.vmap: the results of each sample alone, computed for all at once.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local func, nn = tide.func, tide.nn
local F, vmap = nn.functional, func.vmap
local tight = {rtol = 1e-12, atol = 1e-13}

--- fn of each sample along the first dimension, joined.
local function by_hand(fn, ...)
  local args, results = table.pack(...), {}
  for i = 1, #args[1] do
    local own = {}
    for k = 1, args.n do own[k] = args[k][i] end
    results[i] = fn(table.unpack(own))
  end
  return tide.stack(results)
end

describe("vmap", function(device)
  local options = {dtype = "float64", device = device}
  local function at(values) return tide.tensor(values, {device = device}) end
  tide.manual_seed(9)
  local x, y = tide.randn({4, 3, 5}, options), tide.randn({4, 3, 5}, options)
  local v, w = tide.randn({4, 5}, options), tide.randn({5, 2}, options)

  it("returns the results of each sample", function()
    local functions = {
      function(a, b) return a * b + 1 end, function(a, b) return (a - b):abs():sqrt() end,
      function(a, b) return tide.where(a:gt(b), a, b * 2) end,
      function(a, b) return a:sum() + b:mean(1):sum() end, function(a) return a:sum(-1, true) end,
      function(a) return a:max() end, function(a) return (a:max(2)) end,
      function(a) return select(2, a:max(-1)) end, function(a) return a:softmax(1) end,
      function(a) return F.log_softmax(a, -1) end, function(a) return a:var() end,
      function(a) return a:std(2, {keepdim = true}) end, function(a) return a:argmin() end,
      function(a) return a:cumsum(1) end, function(a) return (a:sort(-1)) end,
      function(a) return (a:topk(2, 1)) end, function(a) return a:flip {1, 2} end,
      function(a, b) return a:matmul(b.T) end, function(a) return a.mT end,
      function(a) return a:matmul(w) end, function(a) return a[1]:matmul(w) end,
      function(a, b) return a[1]:dot(b[1]) end, function(a, b) return tide.outer(a[1], b[2]) end,
      function(a) return F.linear(a, w.T) end, function(a) return a:reshape(5, 3) end,
      function(a) return a:reshape {-1} end, function(a) return a:flatten() end,
      function(a) return a:permute(2, 1) end, function(a) return a.T end,
      function(a) return a:unsqueeze(1):squeeze() end, function(a) return a:unsqueeze(-1) end,
      function(a) return a:transpose(1, 2) end, function(a) return a:narrow(2, 2, 3) end,
      function(a) return a[2] end, function(a) return a[{ {1, 2}, -1 }] end,
      function(a, b) return tide.cat({a, b}, 1) end,
      function(a, b) return tide.stack({a, b}, 2) end,
      function(a) return a:expand(2, 3, 5) end, function(a) return tide.zeros_like(a) + a end,
      function(a) return a ^ 2 // 1 % 3 end, function(a) return -a end,
      function(a) return F.layer_norm(a, {5}) end, function(a) return a:roll(1, 1) end,
      function(a) return tide.linalg.svdvals(a) end,
      function(a) return tide.einsum("ij,ij->i", a, a) end,
      function(a, b) return F.mse_loss(a, b) end, function(a, b) return F.huber_loss(a, b) end,
      function(a) return a:masked_fill(a:gt(0), 7) end, function(a) return a:tril() end,
      function(a) return a:tril(-1) end, function(a) return a:triu(2) end,
      function(a) return a:narrow(2, 1, 3):matrix_power(3) end,
      function(a) return F.gelu(a) end, function(a, b) return a:float() + b:float() end,
      function(a) return tide.cat(a:chunk(3, 1), 2) end, function(a) return a:logsumexp {1, 2} end,
      function(a) return F.glu(a:narrow(2, 1, 4), -1) end, function(a) return a:chunk(2)[1] end,
      function(a) return a:split(2)[1] end, function(a) return a:split({1, 2})[2] end,
      function(a) return a:unbind()[3] end, function(a) return a:chunk {chunks = 2}[1] end,
      function(a) return F.normalize(a) end, function(a) return F.normalize(a, 2, 1) end,
      function(a) return F.normalize(a, {p = 1}) end,
      function(a) return F.normalize(a, {dim = 1}) end, function(a) return F.softmin(a, 1) end,
      function(a) return a:var(false) end, function(a) return a:std {correction = 0} end,
      function(a) return a:is_same_size(x[1]) and a or -a end, function(a) return a.mH end,
      function(a) return a.H end, function(a) return a:unsqueeze(1).mH end,
      function(a) return tide.atleast_3d(a) end, function(a) return tide.logsumexp(a, 1) end,
    }
    for i, fn in ipairs(functions) do
      local ok, got = pcall(function() return vmap(fn)(x, y) end)
      if not ok then error(("function %d: %s"):format(i, got)) end
      local same, message = pcall(test.close, got, by_hand(fn, x, y), tight)
      if not same then error(("function %d: %s"):format(i, message)) end
    end
  end)
  it("accepts samples along other dimensions, and none", function()
    local turned = x:permute(2, 3, 1) -- samples last
    local dims = {in_dims = {-1, false}, out_dims = 3}
    local got = vmap(function(a, b) return a + b end, dims)(turned, y[1])
    test.close(got:permute(3, 1, 2), x + y[1], tight)
    local both = vmap(function(t) return {sum = t.a:sum(), other = t.b} end,
      {in_dims = {{a = 1, b = false}}, out_dims = {{sum = 1, other = 2}}})({a = x, b = w})
    test.close(both.sum, x:sum {2, 3}, tight)
    equal(both.other.shape, {5, 4, 2})
    test.equal(vmap(function() return w end, {out_dims = {false}})(x), w)
    local a, b = vmap(function(t) return t:sum(), t * 2 end)(v)
    test.close(a, v:sum(2), tight)
    test.close(b, v * 2, tight)
    test.close(vmap(function(t) return t:sin() end, {chunk_size = 3})(x), x:sin(), tight)
  end)
  it("agrees with torch.vmap", function()
    local a = (tide.arange(0, 12, 1, {dtype = "float64"}) * 0.3):reshape(3, 4):to(device)
    local b = (tide.arange(0, 12, 1, {dtype = "float64"}) * 0.2):cos():reshape(4, 3):to(device)
    local function sine(s, t) return (s * t):sum():sin() end
    test.close(vmap(sine, {in_dims = {1, 2}})(a, b),
      {0.2575960378928001, 0.9966090047216624, 0.9976263677952595}, tight)
    local function distances(s)
      return vmap(function(t) return (s - t):abs():max() end)(b.T)
    end
    test.close(vmap(distances, {out_dims = 2})(a), {
      {1.127202094693087, 2.3272020946930874, 3.527202094693087},
      {1.3161468365471423, 2.5161468365471427, 3.7161468365471424},
      {1.4885011172553457, 2.688501117255346, 3.8885011172553456}}, tight)
    local slopes = func.grad(function(s, t) return (s * t):sin():sum() end)
    test.close(vmap(slopes, {in_dims = {1, 2}})(a, b), {
      {1.0, 0.8001655464920762, 0.3538272683135007, -0.22246863992418772},
      {0.37688111575489464, 0.3496422443703978, 0.16207454821550019, -0.26709733839632693},
      {-0.5498687583261631, 0.060376739125882074, -0.029087562524989074, 0.2135008002638447}}, tight)
  end)
  it("can be nested", function()
    local products = vmap(function(a) return vmap(function(b) return a:dot(b) end)(v) end)(v)
    test.close(products, v:matmul(v.T), tight)
    local sums = vmap(vmap(function(a, b) return (a * b):sum() end))(x, y)
    test.close(sums, (x * y):sum(3), tight)
  end)
  it("has gradients, outside and inside", function()
    local a = x:clone():requires_grad_()
    vmap(function(t) return (t:sin() * w[1][1]):sum() end)(a):sum():backward()
    test.close(a.grad, x:cos() * w[1][1], tight)
    local inner = vmap(func.grad(function(t) return (t ^ 3):sum() end))(x)
    test.close(inner, x ^ 2 * 3, tight)
    test.close(vmap(func.jacrev(function(t) return t:sin() end))(v), v:cos():diag_embed(), tight)
    local function cubes(t) return (t ^ 3):sum() end
    test.close(vmap(func.hessian(cubes))(v), (v * 6):diag_embed(), tight)
    local mask, places = at {true, false, true, true, false}, at {2, 3}
    local function written(t)
      local copy = t * 1
      copy[mask] = t[2] * t[2]
      copy[places] = copy[places] * t[1]
      return copy:square():sum()
    end
    local each = by_hand(func.grad(written), v)
    test.close(func.grad(function(t) return vmap(written)(t):sum() end)(v), each, tight)
    test.close(vmap(func.grad(written))(v), each, tight)
    local squares = vmap(function(t) return t:square():sum() end)
    test.close(func.grad(function(t) return squares(t):sum() end)(v), v * 2, tight)
  end)
  it("computes each sample's gradients of parameters", function()
    local net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)):to("float64"):to(device)
    local inputs, targets = v, tide.tensor({1, 3, 2, 1}, {device = device})
    local parameters = {}
    for name, tensor in net:named_parameters() do parameters[name] = tensor:detach() end
    local function loss(p, input, target)
      return F.cross_entropy(func.functional_call(net, p, input), target)
    end
    local each = vmap(func.grad(loss), {in_dims = {false, 1, 1}})(parameters, inputs, targets)
    for i = 1, 4 do
      net:zero_grad()
      F.cross_entropy(net(inputs[i]), targets[i]):backward()
      for name, tensor in net:named_parameters() do
        test.close(each[name][i], tensor.grad, tight)
      end
    end
  end)
  it("runs an ensemble of models", function()
    local models, stacked = {}, {}
    for i = 1, 3 do
      models[i] = nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 2)):to("float64"):to(device)
    end
    local parameters = func.stack_module_state(models)
    local got = vmap(function(p) return func.functional_call(models[1], p, v) end)(parameters)
    for i, model in ipairs(models) do stacked[i] = model(v) end
    test.close(got, tide.stack(stacked), tight)
  end)
  it("supports images, and layers of one sample", function()
    local conv = nn.Conv2d(2, 3, 3, {dtype = "float64"}):to(device)
    local images = tide.randn({4, 2, 6, 6}, options)
    test.close(vmap(conv)(images), conv(images), tight)
    local stacks = tide.randn({2, 3, 2, 6, 6}, options)
    test.close(vmap(function(t) return F.max_pool2d(conv(t), 2) end)(stacks),
      by_hand(function(t) return F.max_pool2d(conv(t), 2) end, stacks), tight)
    local table_of = nn.Embedding(6, 3):to(device)
    local places = tide.tensor({{1, 2}, {6, 1}}, {device = device})
    test.equal(vmap(table_of)(places):detach(), table_of(places):detach())
  end)
  it("supports writes to samples", function()
    local got = vmap(function(t)
      local copy = t:clone()
      copy[1] = 0
      copy:add_(t):mul_(2)
      return copy
    end)(v)
    local wanted = v:clone()
    wanted[{ {}, 1 }] = 0
    test.close(got, (wanted + v) * 2, tight)
    raises("cannot write values that differ between samples", vmap(function(t)
      return tide.zeros(5, options):add_(t)
    end), v)
    raises("index: cannot write values that differ between samples", vmap(function(t)
      return vmap(function(u) t[at {1}] = u[1] return u end)(w)
    end), v)
  end)
  it("ignores targets of cross_entropy that are -100", function()
    local targets = at {{1, -100, 5}, {2, 2, 3}, {-100, -100, 4}, {1, 1, 1}}
    local loss = vmap(function(a, t) return F.cross_entropy(a, t) end)
    test.close(loss(x, targets), by_hand(F.cross_entropy, x, targets), tight)
    test.close(loss(v, targets:select(2, 1):abs():clamp(1, 5)),
      by_hand(F.cross_entropy, v, targets:select(2, 1):abs():clamp(1, 5)), tight)
    equal(loss(x, tide.full_like(targets, -100)):isnan():all():item(), true)
  end)
  it("indexes with tensors", function()
    local i, j, mask = at {1, 3}, at {2, 4}, at {true, false, true}
    local images = tide.randn({4, 3, 4, 5}, options)
    local functions = {
      function(t) return t[i] end, function(t) return t[mask] end,
      function(t) return t[{i, j}] end, function(t) return t[{i, {}, j}] end,
      function(t) return t[{mask, {}, j}] end, function(t) return t[{i, 2, j}] end,
      function(t) return t[{2, {}, j}] end, function(t) return t[{i, {1, 2}, 2}] end,
      function(t) return t[{ {}, i, j }] end, function(t) return t[{i, "new", j}] end,
    }
    local values = {
      function() return 7 end, function(t) return t[2][1][1] end,
      function(t, key) return t[key] * 2 end,
    }
    for number, fn in ipairs(functions) do
      test.equal(vmap(fn)(images), by_hand(fn, images))
      for _, value in ipairs(values) do
        local function write(t)
          local copy = t:clone()
          local keys = {i, mask, {i, j}, {i, {}, j}, {mask, {}, j}, {i, 2, j}, {2, {}, j},
            {i, {1, 2}, 2}, { {}, i, j }, at {3, 2}}
          copy[keys[number]] = value(t, keys[number])
          return copy
        end
        test.equal(vmap(write)(images), by_hand(write, images))
      end
    end
    local rows = tide.tensor({{1, 2}, {3, 1}, {2, 2}, {1, 3}}, {device = device})
    local function own(t, r)
      local copy = t:clone()
      copy[r] = t[1]
      return copy + copy[r]:sum()
    end
    test.close(vmap(own)(images, rows), by_hand(own, images, rows), tight)
  end)
  it("supports all modes of randomness", function()
    local ones = tide.ones({3, 200}, options)
    raises("vmap: dropout is random", vmap(function(t) return F.dropout(t, 0.5) end), ones)
    local function dropped(t) return F.dropout(t, 0.5) end
    local different = vmap(dropped, {randomness = "different"})(ones)
    equal(different[1]:equal(different[2]), false)
    local same = vmap(dropped, {randomness = "same"})(ones)
    equal(same[1]:equal(same[2]), true)
    test.same_type(vmap(function(t) return F.dropout(t, 0.5, false) end)(ones), ones)
    local function filled(t) return t:clone():uniform_(2, 3) end
    raises("vmap: uniform_ is random", vmap(filled), ones)
    different = vmap(filled, {randomness = "different"})(ones)
    equal(different[1]:equal(different[2]), false)
    equal(different:min():item() >= 2, true)
    same = vmap(filled, {randomness = "same"})(ones)
    equal(same[1]:equal(same[3]), true)
    for name, draw in pairs {
      poisson = function(t) return tide.poisson(t * 5) end,
      binomial = function(t) return tide.binomial(t * 9, t / 2) end,
      normal = function(t) return tide.normal(t, 1.0) end,
    } do
      raises("vmap: " .. name .. " is random", vmap(draw), ones)
      different = vmap(draw, {randomness = "different"})(ones)
      equal(different[1]:equal(different[2]), false)
      same = vmap(draw, {randomness = "same"})(ones)
      equal(same[1]:equal(same[2]), true)
    end
    local channels = vmap(function(t) return F.dropout2d(t, 0.5) end, {randomness = "different"})(
      tide.ones({3, 1, 8, 2, 2}, options))
    test.equal(channels[{ {}, {}, {}, 1, 1 }], channels[{ {}, {}, {}, 2, 2 }])
    raises("a result of shape (5) cannot be written into shape (1, 5)",
      vmap(function(t) return t:unsqueeze(1):clone():squeeze_() end), v)
  end)
  it("reports what it does not support", function()
    raises("vmap: item is not supported for batched tensors",
      vmap(function(t) return t:sum():item() end), v)
    raises("the shapes of its results differ between samples", vmap(function(t) return t:gt(0):nonzero() end),
      tide.tensor({{1.0, -1}, {1, 1}}, {device = device}))
    raises("the shapes of its results differ between samples", vmap(function(t) return tide.where(t:gt(0)) end),
      tide.tensor({{1.0, -1}, {1, 1}}, {device = device}))
    raises("mT: expected a matrix, got 1 dimensions",
      vmap(function(t) return t.mT end), v)
    raises("H: expected a matrix, got 3 dimensions",
      vmap(function(t) return t:unsqueeze(1).H end), x)
    raises("< would read a value", vmap(function(t) return t:sum() < 0 and t or -t end), v)
    raises("the batch has 4 samples in one argument, but 5 in another", vmap(tide.add), v, w)
    raises("no argument has a batch", vmap(tide.sin, {in_dims = {false}}), v)
    raises("there is no dimension 3: the tensor has 2", vmap(tide.sin, 3), v)
    raises('randomness must be "error", "different" or "same", got "new"', vmap, tide.sin, {randomness = "new"})
    raises("a result that differs between samples requires a dimension",
      vmap(tide.sin, {out_dims = {false}}), v)
    raises("did you mean 'sum'?", vmap(function(t) return t:summ() end), v)
    local kept
    vmap(function(t)
      kept = t
      return t
    end)(v)
    raises("the tensor belongs to a vmap that has ended", function() return kept + 1 end)
    raises("boom", vmap(function() error "boom" end), v)
    test.close(vmap(tide.sin)(v), v:sin(), tight)
  end)
end)
