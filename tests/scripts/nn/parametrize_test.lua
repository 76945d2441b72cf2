-- Parameters that are computed from others: orthogonal and pruned ones.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local nn, utils = tide.nn, tide.nn.utils
local parametrizations, parametrize, prune = utils.parametrizations, utils.parametrize, utils.prune

local function wave(rows, columns, step, fn)
  local x = tide.arange(0, rows * columns, 1, {dtype = "float64"})
  return tide[fn](x * step):reshape(rows, columns)
end

local function sorted_names(module)
  local names = {}
  for name in pairs(module:state_dict()) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Results of PyTorch's parametrizations.orthogonal: rows, columns, map, the weight computed from
-- wave(rows, columns, 0.7, "sin") / 2 (minus the identity for householder) with an identity as base,
-- and the gradient of its sum weighted by wave(rows, columns, 0.3, "cos").
local orthogonal_cases = {
  {3, 3, "matrix_exp",
    {0.821385214879, -0.490176564028, 0.291638928911, 0.286897491364, 0.796984467228,
     0.531512547778, -0.492966690789, -0.352906071179, 0.795261684414},
    {0.0, 0.0, 0.0, -1.142662425141, 0.0, 0.0, -0.327003763884, -0.182142853755, 0.0}},
  {3, 3, "cayley",
    {0.837057311785, -0.46660770876, 0.285678670736, 0.28116483775, 0.814797545249,
     0.507002262588, -0.469341443728, -0.344067153884, 0.813225923601},
    {0.0, 0.0, 0.0, -1.042936852045, 0.0, 0.0, -0.360358167485, -0.208586769423, 0.0}},
  {3, 3, "householder",
    {0.453283809266, 0.0, -0.109350519695, 0.627244098279, 0.0, 0.744272436002, -0.633323479299,
     0.0, 0.658863418965},
    {0.0, 0.0, 0.0, -1.624062016907, 0.0, 0.0, -0.118292053739, 0.667915740675, 0.0}},
  {4, 2, "matrix_exp",
    {0.782348909983, -0.521450055142, 0.347776041445, 0.756912727058, 0.119633594162,
     -0.204620250381, -0.502662721109, -0.336605877464},
    {0.0, 0.0, -0.95630632365, 0.0, 0.31511493918, 0.094472226496, 0.738913960959, 0.144928256084}},
  {4, 2, "cayley",
    {0.802899346957, -0.493824431163, 0.33793560329, 0.780067970763, 0.12135194387,
     -0.197460830247, -0.475842276815, -0.329606754624},
    {0.0, 0.0, -0.815494496989, 0.0, 0.317478018901, 0.074226465252, 0.610513552252,
     0.052545023003}},
  {4, 2, "householder",
    {0.369166108586, 0.0, 0.674622186008, 0.0, 0.229327210986, 0.0, -0.596666004327, 0.0},
    {0.0, 0.0, -0.316785388197, 0.0, 0.004308672657, 0.0, 0.968543295453, -0.0}},
  {2, 4, "matrix_exp",
    {0.754203377742, 0.46955390504, 0.356760390546, 0.288822469695, -0.07601765988,
     0.753210188379, -0.438540757216, -0.484332253487},
    {0.0, -0.085684914011, 0.3905724916, 0.328204435762, 0.0, 0.0, -0.162422645843,
     -0.416233097024}},
  {2, 4, "cayley",
    {0.785068136637, 0.431423687047, 0.345769119996, 0.279258551791, -0.087608962525,
     0.784200432248, -0.410350024586, -0.45712931329},
    {0.0, -0.056236174441, 0.369056092033, 0.296867529001, 0.0, 0.0, -0.12450544096,
     -0.371573085539}},
  {2, 4, "householder",
    {0.304789325051, 0.420284180658, 0.642902144032, 0.563153183444, 0.611059856451,
     0.594242488223, -0.307892014946, -0.422710567832},
    {0.0, 0.159595277053, -0.702899776191, -0.92378263128, 0.0, 0.0, -0.005257052507,
     -0.34103655583}},
}

describe("orthogonal", function(device)
  it("agrees with PyTorch's matrices and gradients", function()
    for _, case in ipairs(orthogonal_cases) do
      local rows, columns, map, expected, gradient = table.unpack(case)
      local layer = nn.Linear(columns, rows, {bias = false, dtype = "float64"})
      equal(rawequal(parametrizations.orthogonal(layer, "weight", map), layer), true)
      local list = layer.parametrizations.weight
      local start = wave(rows, columns, 0.7, "sin") * 0.5
      local base = math.max(rows, columns)
      if map == "householder" then
        start = start - tide.eye(base, {dtype = "float64"}):narrow(1, 1, rows):narrow(2, 1, columns)
      end
      list.original.data, list[1].base.data = start, tide.eye(base, {dtype = "float64"})
      layer:to(device)
      layer(tide.zeros(1, columns, {dtype = "float64", device = device}))
      test.close(layer.weight:flatten(), expected, {atol = 1e-11, rtol = 0});
      (layer.weight * wave(rows, columns, 0.3, "cos"):to(device)):sum():backward()
      test.close(list.original.grad:flatten(), gradient, {atol = 1e-11, rtol = 0})
    end
  end)
  it("starts from the orthogonalized weight, and remains orthogonal in training", function()
    for _, map in ipairs {"matrix_exp", "cayley", "householder"} do
      for _, shape in ipairs {{3, 3}, {5, 3}, {3, 5}} do
        local layer = nn.Linear(shape[2], shape[1], {dtype = "float64"})
        nn.init.orthogonal_(layer.weight)
        local before = layer.weight:detach():clone()
        layer:to(device)
        parametrizations.orthogonal(layer, {orthogonal_map = map})
        test.close(layer.weight, before, {atol = 1e-12})
        equal(sorted_names(layer),
          {"bias", "parametrizations.weight.0.base", "parametrizations.weight.original"})
        local optimizer = tide.optim.SGD(layer:parameters(), {lr = 0.1})
        for _ = 1, 3 do
          optimizer:zero_grad()
          local x = tide.rand({4, shape[2]}, {dtype = "float64", device = device})
          layer(x):square():sum():backward()
          optimizer:step()
        end
        layer(tide.rand({4, shape[2]}, {dtype = "float64", device = device}))
        local w = layer.weight:detach()
        local product = shape[1] >= shape[2] and w.T:matmul(w) or w:matmul(w.T)
        test.close(product, tide.eye(3, {dtype = "float64"}), {atol = 1e-12})
        equal(w:cpu():allclose(before, 1e-6), false)
      end
    end
  end)
  it("inverts reflections without a base", function()
    for _, shape in ipairs {{4, 4}, {5, 3}, {3, 5}} do
      local layer = nn.Linear(shape[2], shape[1], {dtype = "float64", bias = false})
      nn.init.orthogonal_(layer.weight)
      local before = layer.weight:detach():clone()
      layer:to(device)
      parametrizations.orthogonal(layer,
        {orthogonal_map = "householder", use_trivialization = false})
      test.close(layer.weight, before, {atol = 1e-12})
      equal(sorted_names(layer), {"parametrizations.weight.original"})
    end
  end)
  it("starts from the weight itself if it cannot be inverted", function()
    for map, expected in pairs {
      matrix_exp = {0.76484218728449, -0.64421768723769, 0.64421768723769, 0.76484218728449},
      cayley = {0.78173719376392, -0.62360801781737, 0.62360801781737, 0.78173719376392},
    } do
      local layer = nn.Linear(2, 2, {dtype = "float64", device = device})
      local start = wave(2, 2, 0.7, "sin"):to(device)
      start[2][1] = 0.7
      layer.weight.data = start
      parametrizations.orthogonal(layer, {orthogonal_map = map, use_trivialization = false})
      test.equal(layer.parametrizations.weight.original:detach(), start)
      test.close(layer.weight:flatten(), expected, {atol = 1e-12, rtol = 0})
      raises("Orthogonal has no right_inverse", function() layer.weight = start end)
    end
  end)
  it("reports mismatches", function()
    raises("expected a matrix, got 1", parametrizations.orthogonal, nn.Linear(2, 2), "bias")
    raises("the module has no parameter wieght", parametrizations.orthogonal, nn.Linear(2, 2),
      "wieght")
    raises('must be "matrix_exp", "cayley" or "householder", got "exp"', parametrizations.orthogonal,
      nn.Linear(2, 2), "weight", "exp")
  end)
end)

describe("parametrize", function(device)
  local Double = tide.class("Double", nn.Module)
  function Double:forward(x) return x * 2 end
  function Double:right_inverse(y) return y / 2 end
  local Plus = tide.class("Plus", nn.Module)
  function Plus:forward(x) return x + 1 end
  function Plus:right_inverse(y) return y - 1 end

  it("chains parametrizations, and removes them", function()
    local layer = nn.Linear(1, 1, {bias = false, device = device})
    layer.weight.data = tide.full({1, 1}, 7.0, {device = device})
    parametrize.register_parametrization(layer, "weight", Double())
    parametrize.register_parametrization(layer, "weight", Plus())
    equal(layer.weight:item(), 7.0)
    equal(layer.parametrizations.weight.original:item(), 3.0) -- 2 * 3 + 1
    layer(tide.ones(1, 1, {device = device})):sum():backward()
    equal(layer.parametrizations.weight.original.grad:item(), 2.0)
    equal(parametrize.is_parametrized(layer), true)
    equal(parametrize.is_parametrized(layer, "bias"), false)
    parametrize.remove_parametrizations(layer, "weight")
    equal(layer.weight:item(), 7.0)
    equal(#layer:parameters(), 1)
    equal(sorted_names(layer), {"weight"})
    equal(parametrize.is_parametrized(layer), false)
    raises("weight is not parametrized", parametrize.remove_parametrizations, layer, "weight")
    parametrize.register_parametrization(layer, "weight", Double())
    parametrize.remove_parametrizations(layer, "weight", false)
    equal(layer.weight:item(), 3.5)
    equal(rawequal(getmetatable(layer), nn.Linear), true)
  end)
  it("computes values when they are read, and inverts assigned ones", function()
    local layer = nn.Linear(2, 2, {device = device})
    parametrize.register_parametrization(layer, "weight", Double())
    local original = layer.parametrizations.weight.original
    tide.no_grad(function() original:fill_(4) end)
    test.equal(layer.weight:detach(), tide.full({2, 2}, 8.0))
    layer.weight = tide.full({2, 2}, 6.0, {device = device})
    equal(rawequal(layer.parametrizations.weight.original, original), true)
    test.equal(original:detach(), tide.full({2, 2}, 3.0))
    test.equal(layer(tide.ones({2}, {device = device})):detach(), layer.bias:detach() + 12)
    equal(original.requires_grad, true)
    test.equal(layer:clone().weight:detach(), tide.full({2, 2}, 6.0))
    raises("weight: a value of shape (3, 2) cannot be assigned", function()
      layer.weight = tide.ones({3, 2}, {device = device})
    end)
    local Minus = tide.class("Minus", nn.Module)
    function Minus:forward(x) return -x end
    parametrize.register_parametrization(layer, "weight", Minus())
    test.equal(layer.weight:detach(), tide.full({2, 2}, -6.0))
    raises("weight: Minus has no right_inverse", function()
      layer.weight = tide.ones({2, 2}, {device = device})
    end)
    local Flat = tide.class("Flat", nn.Module)
    function Flat:forward(x) return x:flatten() end
    raises("the result has shape (4) and type float32, the parameter (2, 2) and float32",
      parametrize.register_parametrization, nn.Linear(2, 2), "weight", Flat())
    layer = nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", Minus())
    parametrize.register_parametrization(layer, "weight", Minus())
    test.equal(layer.weight, layer.parametrizations.weight.original)
  end)
end)

describe("prune", function(device)
  local function layer()
    local result = nn.Linear(4, 3, {bias = false, dtype = "float64"})
    result.weight.data = wave(3, 4, 0.7, "sin")
    return result:to(device)
  end

  -- Masks as PyTorch's on the same weights.
  it("prunes the smallest elements, and then more of the remaining ones", function()
    local net = layer()
    equal(rawequal(prune.l1_unstructured(net, "weight", 5), net), true)
    equal(net.weight_mask:tolist(),
      {{0.0, 1.0, 1.0, 1.0}, {0.0, 0.0, 1.0, 1.0}, {0.0, 0.0, 1.0, 1.0}})
    prune.l1_unstructured(net, "weight", {amount = 0.5})
    equal(net.weight_mask:tolist(),
      {{0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0}})
    prune.ln_structured(net, "weight", 1, 2, 1)
    equal(net.weight_mask:tolist(),
      {{0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}})
    equal(sorted_names(net), {"weight_mask", "weight_orig"})
    test.same_type(net.weight:detach(), wave(3, 4, 0.7, "sin"):to(device) * net.weight_mask)
  end)
  it("continues in training, and ends with remove", function()
    local net = layer()
    local parameter = net.weight
    prune.l1_unstructured(net, "weight", 6)
    equal(prune.is_pruned(nn.Sequential(net)), true)
    equal(rawequal(net:parameters()[1], parameter), true)
    local x = tide.ones(1, 4, {dtype = "float64", device = device})
    net(x):sum():backward()
    test.equal(net.weight_orig.grad, net.weight_mask)
    tide.no_grad(function() net.weight_orig:fill_(2) end)
    test.equal(net(x), net.weight_mask:sum(2):unsqueeze(1) * 2)
    local mask = net.weight_mask
    prune.remove(net, "weight")
    equal(rawequal(net.weight, parameter), true)
    test.equal(net.weight:detach(), mask * 2)
    equal(sorted_names(net), {"weight"})
    equal(prune.is_pruned(net), false)
    raises("is not computed by prune", prune.remove, net, "weight")
  end)
  it("prunes several parameters together", function()
    local a, b = layer(), nn.Linear(3, 2, {dtype = "float64"})
    b.weight.data = wave(2, 3, 0.7, "sin") * 0.9
    b:to(device)
    prune.l1_unstructured(a, "weight", 2)
    prune.global_unstructured({{a, "weight"}, {b, "weight"}}, prune.L1Unstructured, {amount = 0.4})
    equal(a.weight_mask:tolist(),
      {{0.0, 1.0, 1.0, 1.0}, {0.0, 0.0, 1.0, 1.0}, {1.0, 0.0, 1.0, 1.0}})
    equal(b.weight_mask:tolist(), {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}})
  end)
  it("selects randomly, by scores, and by custom masks", function()
    local net = layer()
    prune.random_unstructured(net, "weight", 0.25)
    equal(net.weight_mask:sum():item(), 9.0)
    net = prune.random_structured(layer(), "weight", 2, -1)
    equal(net.weight_mask:sum(1):eq(0):sum():item(), 2)
    net = prune.l1_unstructured(layer(), "weight", 1,
      {importance_scores = tide.range(1, 12, {dtype = "float64", device = device}):reshape(3, 4).T
        :reshape(3, 4)})
    equal(net.weight_mask:sum():item(), 11.0)
    equal(net.weight_mask[1][1]:item(), 0.0)
    net = prune.custom_from_mask(layer(), "weight", tide.eye(4, {device = device}):narrow(1, 1, 3))
    equal(net.weight_mask:sum():item(), 3.0)
    net = prune.identity(layer(), "weight")
    equal(net.weight_mask:min():item(), 1.0)
  end)
  it("reports mismatches", function()
    raises("at most the 12 remaining elements, got 13", prune.l1_unstructured, layer(),
      "weight", 13)
    raises("a fraction between 0.0 and 1.0, got 1.5", prune.l1_unstructured, layer(), "weight", 1.5)
    raises("argument 3 (amount): expected integer or number, got nothing", prune.l1_unstructured, layer(), "weight")
    raises("there is no dimension 3", prune.ln_structured, layer(), "weight", 1, 2, 3)
    raises("the module has no parameter bias", prune.identity, layer(), "bias")
  end)
end)
