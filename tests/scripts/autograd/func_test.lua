-- tide.func: derivatives as functions, compared with torch.func, and modules as functions.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local func, nn = tide.func, tide.nn
local tight = {rtol = 1e-12, atol = 1e-13}

describe("derivatives as functions", function(device)
  local options = {dtype = "float64", device = device}
  local x = tide.tensor({1.0, 2, 3}, options)
  local w = tide.tensor({{0.5, -1, 2}, {1, 0.25, -0.5}}, options)
  local function f(m, v) return m:matmul(v):tanh():sum() * v:prod() end
  local function g(v) return w:matmul(v):sin() end

  it("grad returns torch.func's gradients, for one argument or several", function()
    local by_w = {{0.002961104394356994, 0.005922208788713988, 0.008883313183070982}, {6, 12, 18}}
    test.close(func.grad(f)(w, x), by_w, tight)
    local both = func.grad(f, {argnums = {1, 2}})(w, x)
    test.close(both[1], by_w, tight)
    test.close(both[2], {11.999999817285342, 4.496298528149725, -0.9945713695152312}, tight)
    equal(both[1].requires_grad, false)
    local gradient, value = func.grad_and_value(f, 2)(w, x)
    test.close(gradient, both[2], tight)
    test.close(value, f(w, x), tight)
  end)
  it("can be nested", function()
    local inner = func.grad(function(v) return (v ^ 4):sum() end)
    local outer = func.grad(function(v) return inner(v):sin():sum() end)
    test.close(outer(x), {-7.843723450363344, 40.042721304312494, 40.5550365588373}, tight)
  end)
  it("hessian, jacrev and jacfwd return all derivatives", function()
    test.close(func.hessian(f, 2)(w, x), {
      {12.0014809175814, 7.499999177874229, 1.0000014006319995},
      {7.49999917787423, 1.4911181483538138, 0.013568774947924078},
      {1.0000014006319993, 0.013568774947923856, -2.019734849814841}}, {rtol = 1e-10})
    local jacobian = {{-0.10539789971538985, 0.2107957994307797, -0.4215915988615594},
      {1.0, 0.25, -0.5}}
    test.close(func.jacfwd(g)(x), jacobian, tight)
    test.close(func.jacrev(g)(x), jacobian, tight)
    local both, aux = func.jacrev(function(v) return {a = v * 2, b = v:sum()}, "more" end,
      {has_aux = true})(x)
    equal(both.a:tolist(), {{2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0}})
    equal(both.b:tolist(), {1.0, 1.0, 1.0})
    equal(aux, "more")
  end)
  it("jvp and vjp multiply with vectors", function()
    local value, tangent = func.jvp(g, {x}, {tide.tensor({1.0, 0, -1}, options)})
    test.close(value, {-0.977530117665097, 0.0}, tight)
    test.close(tangent, {0.31619369914616957, 1.5}, tight)
    local output, vjp_fn = func.vjp(g, x)
    test.close(output, value, tight)
    test.close(vjp_fn(tide.tensor({1.0, 2}, options)),
      {1.89460210028461, 0.7107957994307796, -1.4215915988615593}, tight)
    test.close(vjp_fn(tide.tensor({0.0, 2}, options)), {2.0, 0.5, -1.0}, tight)
    local several, back = func.vjp(function(a, b) return a * b, a end, x, x * 2)
    equal(#several, 2)
    local one = tide.ones_like(x)
    local da, db = back {one, one}
    equal({da:tolist(), db:tolist()}, {{3.0, 5.0, 7.0}, {1.0, 2.0, 3.0}})
  end)
  it("keeps the grad function of its arguments", function()
    local v = x:clone():requires_grad_()
    local gradient = func.grad(function(u) return (u ^ 3):sum() end)(v)
    gradient:sum():backward()
    equal(v.grad:tolist(), {6.0, 12.0, 18.0})
    tide.no_grad(function()
      equal(func.grad(function(u) return (u ^ 2):sum() end)(x):tolist(), {2.0, 4.0, 6.0})
    end)
  end)
  it("reports mismatches", function()
    raises("grad: the function must return one number, got shape (3)", func.grad(tide.sin), x)
    raises("grad: there is no argument 2, got 1", func.grad(tide.sum, 2), x)
    raises("positions start at 1, got 0", func.grad(tide.sum, 0), x)
    raises("grad: expected a floating type, got int64", func.grad(tide.sum), tide.tensor {1, 2})
    raises("jvp: expected 1 tangents, got 2", func.jvp, g, {x}, {x, x})
    raises("boom", func.grad(function() error "boom" end), x)
    -- An error inside ends its level.
    equal(func.grad(function(v) return v:sum() end)(x).requires_grad, false)
  end)
end)

describe("functional_call", function(device)
  local function net()
    local net = nn.Sequential({"first", nn.Linear(2, 2)}, nn.BatchNorm1d(2), nn.Linear(2, 1))
    return net:to(device)
  end
  it("computes with other parameters, and does not change the module's", function()
    local layer = nn.Linear(2, 1, {device = device})
    local weight, x = layer.weight, tide.ones(3, 2, {device = device})
    local y = func.functional_call(layer, {
      weight = tide.full({1, 2}, 2.0, {device = device}), bias = tide.ones(1, {device = device}),
    }, x)
    equal(y:tolist(), {{5.0}, {5.0}, {5.0}})
    equal(rawequal(layer.weight, weight), true)
    test.equal(func.functional_call(layer, {}, {x}), layer(x))
    raises("there is no parameter or buffer 'weihgt'", func.functional_call, layer,
      {weihgt = weight}, x)
    raises("'bias' is missing", func.functional_call, layer, {weight = weight}, x,
      {strict = true})
    raises("the weight (1, 3) takes 3", func.functional_call, layer, {weight = tide.ones(1, 3)},
      x:cpu())
    equal(rawequal(layer.weight, weight), true)
  end)
  it("has the same gradients as backward", function()
    local model, x = net(), tide.rand(4, 2, {device = device})
    local parameters = {}
    for name, tensor in model:named_parameters() do parameters[name] = tensor:detach() end
    local gradients = func.grad(function(p) return func.functional_call(model, p, x):sum() end)(
      parameters)
    model[2]:reset_running_stats()
    model(x):sum():backward()
    for name, tensor in model:named_parameters() do
      test.close(gradients[name], tensor.grad, {atol = 1e-6})
    end
  end)
  it("replaces a shared parameter under all its names", function()
    local shared = nn.Linear(1, 1, {bias = false, device = device})
    local model = nn.Sequential(shared, nn.Identity(), shared)
    local two = tide.full({1, 1}, 2.0, {device = device})
    equal(func.functional_call(model, {["0.weight"] = two}, tide.ones(1, 1, {device = device}))
      :item(), 4.0)
  end)
  it("accepts entries of stacked states", function()
    local models = {net(), net()}
    local parameters, buffers = func.stack_module_state(models)
    equal(parameters["first.weight"].shape, {2, 2, 2})
    equal(parameters["first.weight"].requires_grad, true)
    equal(buffers["1.running_mean"].shape, {2, 2})
    test.equal(parameters["2.bias"][2]:detach(), models[2][3].bias:detach())
    raises("must have the same structure", func.stack_module_state, {nn.Linear(1, 1), nn.ReLU()})
  end)
end)
