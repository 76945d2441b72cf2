-- Functions with huge arguments, quotients or sums of exponentials: values of PyTorch, which
-- follows C there.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local inf = math.huge

describe("huge numbers", function(device)
  local function numbers(values, dtype)
    return tide.tensor(values, {dtype = dtype, device = device})
  end
  --- Repeated, so that vector loops and remainders are tested.
  local function many(values, dtype)
    return numbers(values, dtype):repeat_dims(37)
  end

  local angles = {1e12, -3e15, 1e16, 1e22, -7e25, 3.4e38, 2.5}
  local of_angles = {
    float32 = {
      sin = {-0.020802976563572884, -0.73104375600814819, -0.49657464027404785, -0.73408156633377075,
        -0.93074280023574829, -0.24408487975597382, 0.59847211837768555},
      cos = {0.99978357553482056, 0.68233060836791992, 0.86799401044845581, 0.67906135320663452,
        0.36567455530166626, 0.96975386142730713, -0.8011435866355896},
      tan = {-0.020807480439543724, -1.071392297744751, -0.57209455966949463, -1.0810239315032959,
        -2.5452761650085449, -0.25169774889945984, -0.74702233076095581},
    },
    float64 = {
      sin = {-0.61123870237688949, -0.045892919104717815, 0.77968800660697879, -0.85220084976718879,
        -0.96896734235426341, 0.91930398573480121, 0.59847214410395655},
      cos = {0.79144630185289022, 0.99894636491457733, -0.62616819813308622, 0.52321478539513899,
        -0.24718877290628649, 0.39354819503093708, -0.8011436155469337},
      tan = {-0.77230596813187613, -0.045941324496077671, -1.2451734357184063, -1.6287782256068988,
        3.9199488348996154, 2.3359374972169142, -0.74702229723866032},
    },
  }
  for dtype, functions in pairs(of_angles) do
    it("as angles in " .. dtype, function()
      local rtol = dtype == "float64" and 1e-13 or 5e-7
      for name, expected in pairs(functions) do
        close(many(angles, dtype)[name](many(angles, dtype)), many(expected, dtype),
          {rtol = rtol, atol = 0})
        close(many(angles, dtype)[name](many(angles, dtype)) + many(angles, dtype):cos() * 0,
          many(expected, dtype), {rtol = rtol, atol = 0})
      end
      equal(numbers({inf, -inf, 0 / 0}, dtype):sin():isnan():all():item(), true)
    end)
  end

  local rests = {
    float16 = {{0.0960693359375, 0, -0.2900390625, 1, 1}, {0.0960693359375, 0, 0.080078125, -1.25,
      1}},
    bfloat16 = {{0.07958984375, 9.7788870334625244e-09, -0.208984375, 1, 1},
      {0.07958984375, 9.7788870334625244e-09, 0.16015625, -1.25, 1}},
    float32 = {{0.079594813287258148, 5.419567372655365e-08, -0.11107933521270752, 1, 1},
      {0.079594813287258148, 5.419567372655365e-08, 0.25892066955566406, -1.25, 1}},
    float64 = {{0.073305873195546406, 4.0000893681875099e-08, -0.0028499458645064868, 1, 1},
      {0.073305873195546406, 4.0000893681875099e-08, 0.36715005413549351, -1.25, 1}},
  }
  for dtype, expected in pairs(rests) do
    it("as quotients in " .. dtype, function()
      local most = dtype == "float16" and 65504.0 or 3e38
      local x = many({most, 1e4, -most, 5.5, 1.0}, dtype)
      local y = many({0.1, 6e-8, 0.37, -2.25, 3.0}, dtype)
      close(x:fmod(y), many(expected[1], dtype), {rtol = 0, atol = 0})
      close(x:remainder(y), many(expected[2], dtype), {rtol = 0, atol = 0})
    end)
  end

  it("in running sums of exponentials, without losing terms", function()
    local x = numbers {{-1000, 0, 5, 3, -200}, {1, -inf, 2, 90, -90}}:requires_grad_()
    local y = x:logcumsumexp(2)
    close(y, {{-1000, 0, 5.006715297698975, 5.132845401763916, 5.132845401763916},
      {1, 1, 2.3132617473602295, 90, 90}}, {rtol = 1e-6})
    y:backward(numbers {{1, -2, 3, 0.5, -1}, {1, -2, 3, 0.5, -1}})
    close(x.grad, {{1, -1.9828712940216064, 2.542120933532715, -0.059249818325042725, 0},
      {-0.1931757926940918, 0, 2.1931755542755127, -0.4999992847442627, 0}}, {rtol = 1e-5,
        atol = 1e-6})
    check_gradient(function(v) return v:logcumsumexp(1) end, numbers({0.5, -2, 1, 7, -1},
      "float64"))
    equal(tide.zeros(0, 3, {device = device}):logcumsumexp(1).shape, {0, 3})
    close(numbers({60000.0, 1, 65504.0}, "float16"):logcumsumexp(1):to("float32"), {60000, 60000,
      65504})
    raises("logcumsumexp: expected a floating type", tide.logcumsumexp, numbers {1, 2}, 1)
  end)

  it("as reciprocals of lgamma's arguments", function()
    close(numbers({-2.2250738585072014e-308, 1e-310}, "float64"):lgamma(),
      {708.39641853226408, 713.80137882815404}, {rtol = 1e-12})
  end)
end)

describe("functions of half types", function(device)
  local function half(values) return tide.tensor(values, {dtype = "float16", device = device}) end

  it("round once", function()
    equal(half({1.5, 2}):logaddexp2(half({3.3, -1})):tolist(), {3.6640625, 2.169921875})
    close(half({1.0, 0.3, 100.3}):sinc():to("float32"), {0, 0.8583984375, 0.0026378631591796875},
      {rtol = 1e-3, atol = 1e-6})
  end)

  it("keep their type with integers", function()
    local y = half({1.5, 2}):ldexp(tide.tensor({3, 4}, {device = device}))
    equal({y.dtype, y:tolist()}, {"float16", {12.0, 32.0}})
    local x = tide.tensor({1.0, 2}, {device = device})
    close(x:logaddexp(tide.tensor({true, false}, {device = device})), {1.6931471824645996,
      2.1269280910491943})
    raises("logaddexp: expected a floating type", tide.logaddexp, x:to("int64"), x:to("bool"))
  end)
end)

describe("gradients at limits", function(device)
  local function gradient(f, values)
    local x = tide.tensor(values, {device = device}):requires_grad_()
    f(x):sum():backward()
    return x.grad
  end

  it("are PyTorch's", function()
    local F = tide.nn.functional
    equal(gradient(F.hardswish, {-4.0, -3, 0, 3, 4}):tolist(), {0.0, 0.0, 0.5, 1.0, 1.0})
    close(gradient(tide.logit, {0.0, 0.25, 1.0}), {inf, 16 / 3, inf})
    equal(gradient(tide.logit, {-0.5, 2.0}):isnan():tolist(), {true, true})
    close(gradient(function(x) return x:logit(0.01) end, {-0.5, 0.0, 0.25, 1.0}), {0, 0, 16 / 3, 0})
    equal(gradient(function(x) return x:atan2(tide.zeros_like(x)) end, {0.0, 1.0}):tolist(), {0.0,
      0.0})
  end)
end)
